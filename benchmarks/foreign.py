"""Made-up notices in Dutch, Italian and Swedish: languages that are not those of any outlier of our corpora."""

from __future__ import annotations

import numpy as np

SENTENCES: dict[str, tuple[str, ...]] = {
    "Dutch": (
        "De {thing} staat sinds gisteren weer in de winkel aan het plein.",
        "Wij zoeken iemand die de {thing} voor het weekend kan ophalen.",
        "Volgens de gemeente wordt de {thing} pas in het voorjaar vervangen.",
        "Mijn buurman heeft zijn {thing} aan de school gegeven en krijgt er niets voor terug.",
        "Wie heeft er nog een {thing} over, liefst niet ouder dan vijf jaar?",
        "Het bestuur vergadert dinsdagavond over de kosten van de {thing}.",
        "Daarna hebben we met zijn allen naar de {thing} gekeken en koffie gedronken.",
        "Zonder {thing} kan de vereniging dit jaar geen feest houden.",
    ),
    "Italian": (
        "La {thing} è di nuovo disponibile presso il negozio della piazza.",
        "Cerchiamo qualcuno che possa riparare la {thing} prima della fine del mese.",
        "Secondo il comune la {thing} sarà sostituita soltanto in primavera.",
        "Mio cugino ha regalato la sua {thing} alla scuola senza chiedere nulla.",
        "Chi possiede ancora una {thing} che funziona bene e costa poco?",
        "Il consiglio discuterà martedì sera le spese per la {thing}.",
        "Dopo pranzo abbiamo guardato insieme la {thing} e bevuto un caffè.",
        "Senza una {thing} quest'anno l'associazione non potrà fare la festa.",
    ),
    "Swedish": (
        "Nu finns {thing} åter att köpa i affären vid torget.",
        "Vi letar efter någon som kan laga {thing} innan helgen är slut.",
        "Enligt kommunen byts {thing} ut först någon gång under våren.",
        "Min granne skänkte sin {thing} till skolan och ville inte ha betalt.",
        "Har någon kvar en {thing} som fungerar och inte kostar för mycket?",
        "Styrelsen träffas på tisdag kväll för att diskutera {thing} och pengarna.",
        "Efteråt tittade vi tillsammans på {thing} och drack kaffe i solen.",
        "Utan {thing} blir det tyvärr ingen fest för föreningen i år.",
    ),
}
"""Sentences about a thing, by language."""

THINGS: dict[str, tuple[str, ...]] = {
    "Dutch": (
        "fiets",
        "kast",
        "lamp",
        "wasmachine",
        "trompet",
        "tent",
        "ladder",
        "kaart",
        "kachel",
        "schommel",
        "tafel",
        "jas",
    ),
    "Italian": (
        "bicicletta",
        "lampada",
        "lavatrice",
        "tromba",
        "tenda",
        "scala",
        "mappa",
        "stufa",
        "altalena",
        "tavola",
        "giacca",
    ),
    "Swedish": (
        "cykeln",
        "lampan",
        "tvättmaskinen",
        "trumpeten",
        "stegen",
        "kartan",
        "kaminen",
        "gungan",
        "soffan",
        "jackan",
    ),
}
"""Things, by language."""


def foreign_text(language: str, n_words: int, rng: np.random.Generator) -> str:
    """Make up a text of about `n_words` words, at least one sentence."""
    sentences: list[str] = []
    while not sentences or sum(len(sentence.split()) for sentence in sentences) < n_words:
        sentences.append(str(rng.choice(SENTENCES[language])).format(thing=rng.choice(THINGS[language])))
    return " ".join(sentences)
