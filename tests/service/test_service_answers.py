"""What the server answers about documents: what the detector says, whatever form the request has."""

import asyncio
import json
from dataclasses import asdict

import httpx
import numpy as np
import pytest
import scipy.sparse as sp
from saved_models import CORPUS, SMALL
from serving import Conversation, serving

from tonmf import TextOutlierDetector
from tonmf.metrics import discoveries
from tonmf.service.score_routes import SCORED_AT_ONCE
from tonmf.storage.bundles import read_bundle

TEXTS = CORPUS.texts[:150]


STRANGE = [f"{letter * 4} {letter * 5} {letter * 6} {letter * 7}" for letter in "qwxzjkvbpfy"]


def in_lines(documents):
    return "".join(json.dumps(document) + "\n" for document in documents).encode()


LINES = {"Content-Type": "application/x-ndjson"}


def test_scores_are_those_of_the_detector(server, saved):
    detector, _ = saved
    answer = server.post("/v1/score", json={"documents": TEXTS}).json()
    assert [document["score"] for document in answer["documents"]] == detector.outlier_score(TEXTS).tolist()
    assert answer["threshold"] == detector.threshold_
    assert [document["outlier"] for document in answer["documents"]] == (detector.predict(TEXTS) == -1).tolist()


def test_p_values_are_those_of_the_detector(server, saved):
    detector, _ = saved
    answer = server.post("/v1/score", json={"documents": TEXTS}).json()
    assert [document["p_value"] for document in answer["documents"]] == detector.p_value(TEXTS).tolist()
    assert answer["fdr"] is None


def test_topics_and_alarms_come_with_scores_if_asked_for(server):
    documents = [*TEXTS, "", *STRANGE]
    plain = server.post("/v1/score", json={"documents": documents}).json()["documents"]
    for asked in (
        server.post("/v1/score", json={"documents": documents, "topics": True}),
        server.post("/v1/score", params={"topics": True}, json={"documents": documents}),
    ):
        answers = asked.json()["documents"]
        assert [{**answer, **known} for answer, known in zip(answers, plain, strict=True)] == answers
        whys = server.post("/v1/explain", json={"documents": documents}).json()["documents"]
        for name in ("topic", "main_alarm"):
            assert [answer[name] for answer in answers] == [why[name] for why in whys]
    assert {"empty", "unknown"} <= {answer["main_alarm"] for answer in answers}
    assert "topic" not in plain[0]


@pytest.mark.parametrize("n_characters", [0, 215_000])
def test_documents_of_a_request_are_flagged_together_at_a_false_discovery_rate(server, saved, n_characters):
    """Also if they are so long that they are scored in several turns."""
    detector, _ = saved
    documents = [*TEXTS, "", *STRANGE]
    n_times = 1 + n_characters // len("".join(TEXTS))
    documents = [" ".join([text] * n_times) if number < len(TEXTS) else text for number, text in enumerate(documents)]
    assert n_characters == 0 or sum(map(len, documents)) > SCORED_AT_ONCE[1]
    p_values, rate = detector.p_value(documents), 0.5
    judged = np.array(documents) != ""
    expected = np.zeros(len(documents), bool)
    expected[judged] = discoveries(p_values[judged], rate)
    assert expected.any()
    for asked in (
        server.post("/v1/score", json={"documents": documents, "fdr": rate}),
        server.post("/v1/score", params={"fdr": rate}, json={"documents": documents}),
    ):
        answer = asked.json()
        assert answer["fdr"] == rate
        assert [document["outlier"] for document in answer["documents"]] == expected.tolist()
        assert [document["p_value"] for document in answer["documents"]] == p_values.tolist()
    accepting = {"Accept": "application/x-ndjson"}
    lines = server.post("/v1/score", json={"documents": documents, "fdr": rate}, headers=accepting).text.splitlines()
    assert [json.loads(line)["outlier"] for line in lines] == expected.tolist()


@pytest.mark.parametrize("rate", [0, 1, -0.1, 2, "0.1", True, [0.1]])
def test_a_false_discovery_rate_that_cannot_be_is_refused(server, rate):
    answer = server.post("/v1/score", json={"documents": TEXTS[:1], "fdr": rate})
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("fdr must be a number above 0 and below 1; got ")


def test_lines_are_answered_as_they_come_and_so_have_no_false_discovery_rate(server):
    answer = server.post("/v1/score", params={"fdr": 0.1}, content=in_lines(TEXTS[:2]), headers=LINES)
    assert answer.status_code == 422
    assert "lines are answered as they come" in answer.json()["error"]


def test_ranks_are_those_of_explanations(server, saved):
    detector, _ = saved
    answer = server.post("/v1/score", json={"documents": TEXTS}).json()
    assert [document["rank"] for document in answer["documents"]] == [why.rank for why in detector.explain(TEXTS)]


def test_a_document_without_words_is_not_judged(server, saved):
    detector, _ = saved
    documents = ["", "the of and", TEXTS[0], "zxcv qwer"]
    last = 1 + int((~detector.empty_).sum())
    for route in ("/v1/score", "/v1/explain"):
        answer = server.post(route, json={"documents": documents}).json()["documents"]
        assert [one["judged"] for one in answer] == [False, False, True, True]
        assert [(one["score"], one["outlier"], one["rank"]) for one in answer[:2]] == [(0.0, False, last)] * 2


def test_documents_are_called_by_their_ids_or_numbers(server):
    documents = ["one", {"id": "a", "text": "two"}, {"id": 17, "text": "three"}, {"text": "four", "label": 1}]
    answer = server.post("/v1/score", json={"documents": documents}).json()
    assert [document["id"] for document in answer["documents"]] == ["0", "a", "17", "3"]


def test_many_small_requests_at_once_get_what_each_gets_alone(server, saved):
    detector, _ = saved
    alone = [detector.outlier_score([text])[0] for text in TEXTS]

    async def ask_all():
        async with httpx.AsyncClient(base_url=server.address, timeout=60) as client:
            requests = [client.post("/v1/score", json={"documents": [text]}) for text in TEXTS]
            return [answer.json() for answer in await asyncio.gather(*requests)]

    assert [answer["documents"][0]["score"] for answer in asyncio.run(ask_all())] == alone


def test_a_large_answer_is_sent_as_it_is_made_and_a_small_one_at_once(server):
    large = server.post("/v1/explain", json={"documents": TEXTS})
    assert large.headers["transfer-encoding"] == "chunked"
    assert [document["id"] for document in large.json()["documents"]] == [str(number) for number in range(len(TEXTS))]
    small = server.post("/v1/explain", json={"documents": TEXTS[:2]})
    assert int(small.headers["content-length"]) == len(small.content)


def test_explanations_are_those_of_the_detector(server, saved):
    detector, _ = saved
    strangest = detector.outlier_scores_.argsort()[-40:]
    texts = [CORPUS.texts[row] for row in strangest]
    answer = server.post("/v1/explain", json={"documents": texts, "n_words": 4, "n_nearest": 2, "pieces": False}).json()
    expected = [why.to_dict() for why in detector.explain(texts, n_words=4, n_nearest=2)]
    assert answer["documents"] == json.loads(json.dumps(expected))


def test_pieces_together_are_the_text_and_mark_the_unexpected_words(server):
    text = "Wörter, die niemand kennt: ksjdhf!\n😀 zmxncv\x00 ‮"
    answer = server.post("/v1/explain", json={"documents": [text]}).json()["documents"][0]
    pieces = answer["pieces"]
    assert "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces) == text
    marked = {piece[0].lower(): piece[1] for piece in pieces if not isinstance(piece, str)}
    assert marked == {word["word"]: word["share"] for word in answer["unexpected"]}


def test_options_of_explanations_can_be_in_the_address(server):
    answer = server.post("/v1/explain?n_words=1&n_nearest=0&pieces=false", content=in_lines(TEXTS[:1]), headers=LINES)
    why = json.loads(answer.text)
    assert len(why["unexpected"]) == 1
    assert why["nearest"] == []
    assert "pieces" not in why


def test_json_lines_get_json_lines(server, saved):
    detector, _ = saved
    answer = server.post("/v1/score", content=in_lines(TEXTS), headers=LINES)
    assert answer.headers["content-type"] == "application/x-ndjson"
    documents = [json.loads(line) for line in answer.text.splitlines()]
    assert [document["score"] for document in documents] == detector.outlier_score(TEXTS).tolist()
    assert [document["id"] for document in documents] == [str(number) for number in range(len(TEXTS))]


def test_json_lines_may_end_in_carriage_returns_alone(server):
    content = "\r".join(map(json.dumps, TEXTS[:3]))
    answer = server.post("/v1/score", content=content.encode(), headers=LINES)
    assert answer.text == server.post("/v1/score", content=content.replace("\r", "\n").encode(), headers=LINES).text
    assert len(answer.text.splitlines()) == 3


def test_json_gets_json_lines_if_it_asks_for_them(server, saved):
    detector, _ = saved
    answer = server.post("/v1/explain", json={"documents": TEXTS[:70]}, headers={"Accept": "application/x-ndjson"})
    assert answer.headers["content-type"] == "application/x-ndjson"
    scores = [json.loads(line)["score"] for line in answer.text.splitlines()]
    assert scores == detector.outlier_score(TEXTS[:70]).tolist()


def test_lines_are_answered_before_all_of_them_have_come(server):
    with Conversation(server, "/v1/score", "Content-Type: application/x-ndjson") as talk:
        talk.send(in_lines(TEXTS[:1]))
        assert talk.object()["id"] == "0"
        talk.send(in_lines(TEXTS[1:2]))
        assert talk.object()["id"] == "1"
        talk.finish()
        assert talk.object() is None


def test_blank_lines_and_a_byte_order_mark_are_left_out(server):
    body = b"\xef\xbb\xbf" + in_lines(TEXTS[:1]) + b"\r\n\n" + json.dumps(TEXTS[1]).encode()
    answer = server.post("/v1/score", content=body, headers=LINES)
    assert len(answer.text.splitlines()) == 2


def test_a_bad_line_after_answers_is_told_in_the_last_line(server):
    with Conversation(server, "/v1/score", "Content-Type: application/x-ndjson") as talk:
        talk.send(b'"good"\n')
        assert talk.object()["id"] == "0"
        talk.send(b'"good"\n{"bad"\n"good"\n')
        assert talk.object()["id"] == "1"
        last = talk.object()
        assert last["line"] == 3
        assert last["error"].startswith("Line 3 is not JSON")
        assert talk.object() is None


def test_a_bad_line_before_any_answer_is_an_error(server):
    answer = server.post("/v1/score", content=b'"good"\n{"bad"\n', headers=LINES)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("Line 2 is not JSON")


def test_topics_are_those_of_the_detector(server, saved):
    detector, _ = saved
    answer = server.get("/v1/topics?words=3").json()
    assert answer["topics"] == [asdict(topic) for topic in detector.topics(3)]


def test_the_model_is_described(server, saved):
    detector, folder = saved
    answer = server.get("/v1/model").json()
    assert answer["kind"] == "texts"
    assert answer["word"] == "word"
    assert answer["documents"] == len(CORPUS.texts)
    assert answer["terms"] == detector.n_terms_
    assert answer["topics"] == len(detector.topics())
    assert answer["threshold"] == detector.threshold_
    assert answer["provenance"] == read_bundle(folder).fields["provenance"]
    assert answer["limits"]["batch"] == 200
    assert answer["token"] is False


def test_metrics_count_documents_and_requests_by_route(server):
    def value(name):
        lines = server.get("/metrics").text.splitlines()
        return next((float(line.split()[-1]) for line in lines if line.startswith(name)), 0.0)

    route = 'tonmf_requests_total{method="POST",route="/v1/score",status="200"}'
    before = value("tonmf_documents_total"), value("tonmf_documents_flagged_total"), value(route)
    server.post("/v1/score", json={"documents": ["zxcv qwer asdf", TEXTS[0], ""]})
    after = value("tonmf_documents_total"), value("tonmf_documents_flagged_total"), value(route)
    assert np.subtract(after, before).tolist() == [3, 1, 1]
    server.get("/no/such/address")
    assert value('tonmf_requests_total{method="GET",route="other",status="404"}') >= 1
    assert "/no/such/address" not in server.get("/metrics").text


@pytest.fixture(scope="module")
def basket_server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("baskets")
    baskets = [text.split() for text in CORPUS.texts]
    detector = TextOutlierDetector(**{**SMALL, "stop_words": "english"}).fit(baskets)
    detector.save(folder / "model")
    with serving(folder / "model", folder) as running:
        yield detector, running


def test_baskets_are_scored_as_lists_of_items(basket_server):
    detector, running = basket_server
    baskets = [CORPUS.texts[0].split(), ["dough", "17"], []]
    documents = [baskets[0], {"id": "a", "items": ["dough", 17]}, []]
    answer = running.post("/v1/score", json={"documents": documents}).json()
    assert [document["score"] for document in answer["documents"]] == detector.outlier_score(baskets).tolist()
    why = running.post("/v1/explain", json={"documents": documents}).json()["documents"][1]
    assert why["kind"] == "item"
    assert "".join(piece if isinstance(piece, str) else piece[0] for piece in why["pieces"]) == "dough 17"


def test_a_model_of_baskets_refuses_texts_and_strange_items(basket_server):
    _, running = basket_server
    for documents, says in (
        (["a text"], 'Document 0: expected a list of items, or {"id": …, "items": […]}; got a string.'),
        ([[None]], "Document 0: items must be strings or whole numbers; got null."),
        ([[["nested"]]], "Document 0: items must be strings or whole numbers; got a list."),
        ([[1.5]], "Document 0: items must be strings or whole numbers; got 1.5."),
    ):
        answer = running.post("/v1/score", json={"documents": documents})
        assert (answer.status_code, answer.json()) == (422, {"error": says})


@pytest.fixture(scope="module")
def count_server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("counts")
    rng = np.random.default_rng(0)
    counts = sp.csr_matrix(rng.poisson(0.7, (80, 12)))
    names = [f"term {column}" for column in range(12)]
    detector = TextOutlierDetector(max_topics=4, n_restarts=1).fit(counts, terms=names)
    detector.save(folder / "model")
    with serving(folder / "model", folder) as running:
        yield detector, counts, running


def test_counts_are_scored_by_the_names_of_columns(count_server):
    detector, counts, running = count_server
    rows = [
        dict(zip((f"term {c}" for c in counts[[r]].indices), counts[[r]].data.tolist(), strict=True)) for r in range(5)
    ]
    documents = [{"counts": row} for row in rows]
    answer = running.post("/v1/score", json={"documents": documents}).json()
    assert [document["score"] for document in answer["documents"]] == detector.outlier_score(counts[:5]).tolist()
    why = running.post("/v1/explain", json={"documents": documents}).json()["documents"][0]
    assert why["kind"] == "term"
    assert why["pieces"] is None


def test_a_model_of_counts_refuses_unknown_terms_and_what_is_no_count(count_server):
    _, _, running = count_server
    for document, says in (
        ({"counts": {"nowhere": 1}}, "Document 0: the model has no term 'nowhere'."),
        ({"counts": {"term 1": "many"}}, "Document 0: the count of 'term 1' must be a number from 1 up; got a string."),
        ({"counts": {"term 1": -1}}, "Document 0: the count of 'term 1' must be a number from 1 up; got -1."),
        ({"counts": {"term 1": 0.5}}, "Document 0: the count of 'term 1' must be a number from 1 up; got 0.5."),
        (
            {"counts": {"term 1": 1e300}},
            "Document 0: the count of 'term 1' must be a number from 1 up; got a huge number.",
        ),
        ({"term 1": 3}, 'Document 0: expected {"id": …, "counts": {"term": 3, …}}; got an object with'),
    ):
        answer = running.post("/v1/score", json={"documents": [document]})
        assert answer.status_code == 422
        assert answer.json()["error"].startswith(says)
