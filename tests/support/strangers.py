"""Documents that belong in no English corpus: in another language, of random letters, of one word, of nothing."""

from __future__ import annotations

import numpy as np

GERMAN = """\
Der Gemeinderat hat gestern Abend beschlossen, die alte Brücke über den Fluss bis zum kommenden Frühjahr zu
erneuern. Die Kosten teilen sich das Land und die Stadt. Viele Anwohner freuen sich, weil der Umweg über das
Nachbardorf dann endlich entfällt.

Im Garten meiner Großmutter stehen drei Apfelbäume, die jedes Jahr so viele Früchte tragen, dass wir sie kaum
alle essen können. Im Herbst kochen wir Mus und backen Kuchen, und die ganze Nachbarschaft bekommt etwas davon
ab.

Die Mannschaft verlor das Spiel in der letzten Minute, obwohl sie lange geführt hatte. Der Trainer sagte danach,
er sei trotzdem stolz auf seine jungen Spieler, denn sie hätten bis zum Schluss gekämpft und nie aufgegeben.

Wer im Winter wandern will, sollte warme Kleidung, feste Schuhe und genug zu trinken mitnehmen. Das Wetter in
den Bergen kann schnell umschlagen, und nicht jede Hütte ist in dieser Jahreszeit geöffnet.

Das neue Museum zeigt Werkzeuge, Kleider und Briefe aus zwei Jahrhunderten. Besonders die Kinder mögen den Raum,
in dem man selbst spinnen und weben darf. Der Eintritt ist am ersten Sonntag im Monat frei.

Nach dem langen Regen steht das Wasser auf den Feldern, und die Bauern fürchten um ihre Kartoffeln. Wenn es
nicht bald trocken wird, müssen sie die Ernte verschieben. Auch der Weizen hat unter der Nässe gelitten.

Meine Schwester lernt seit einem Jahr Geige und übt jeden Nachmittag eine Stunde lang. Am Anfang war das kaum zu
ertragen, aber inzwischen hören wir ihr alle gern zu, sogar der Hund bleibt im Zimmer.

Die Bäckerei am Markt schließt nach sechzig Jahren, weil sich niemand findet, der sie übernehmen möchte. Die
Kunden bedauern das sehr, denn nirgendwo sonst in der Stadt gab es so gutes Brot.

Auf der Insel gibt es keine Autos. Man geht zu Fuß, fährt mit dem Rad oder nimmt die kleine Bahn, die vom Hafen
in das Dorf führt. Abends, wenn die Tagesgäste fort sind, wird es dort vollkommen still.

Der Lehrer erklärte geduldig, warum der Mond manchmal rund und manchmal nur eine schmale Sichel ist. Am Ende der
Stunde malten die Schüler die Bahn der Erde an die Tafel und stellten noch viele Fragen.
""".strip().split("\n\n")

ONE_WORD = ["market", "film", "minister", "goal", "company", "music", "zyzzyva", "game", "bank", "technology"]


def random_letters(n_docs: int, rng: np.random.Generator) -> list[str]:
    """Documents of random words of random letters."""
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    return [
        " ".join("".join(rng.choice(letters, rng.integers(3, 10))) for _ in range(rng.integers(20, 80)))
        for _ in range(n_docs)
    ]


def planted(rng: np.random.Generator) -> tuple[list[str], list[str]]:
    """Ten documents each of another language, random letters and one word repeated; and five empty ones."""
    repeated = [" ".join([word] * int(rng.integers(30, 120))) for word in ONE_WORD]
    return [*GERMAN, *random_letters(10, rng), *repeated], ["", " ", "\n\n", "...", "?!"]
