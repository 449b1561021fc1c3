"""Items worked on by several threads: results in order, and not too far ahead of whoever takes them."""

import threading

import pytest

from tonmf.text.side_by_side import AHEAD, in_order


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n_items", [0, 1, 2, 50])
def test_results_come_in_the_order_of_items(n_threads, n_items):
    assert list(in_order(lambda item: item**2, iter(range(n_items)), n_threads)) == [item**2 for item in range(n_items)]


def test_threads_go_on_while_a_result_is_looked_at_but_not_for_ever():
    """All that may be done ahead is done by others before the first result is given up; no more items are taken."""
    taken, done, enough = [], [], threading.Event()

    def items():
        for item in range(100):
            taken.append(item)
            yield item

    def work(item):
        done.append(item)
        if len(done) == 2 + AHEAD:
            enough.set()
        if item == 0:
            assert enough.wait(60)
        return item

    results = in_order(work, items(), n_threads=2)
    assert next(results) == 0
    assert len(taken) <= 2 + AHEAD + 1
    results.close()
    assert len(taken) <= 2 + AHEAD + 1


@pytest.mark.parametrize("n_threads", [1, 3])
def test_an_error_comes_at_its_place(n_threads):
    def work(item):
        return 1 // (item - 5)

    results = in_order(work, range(20), n_threads)
    assert [next(results) for _ in range(5)] == [1 // (item - 5) for item in range(5)]
    with pytest.raises(ZeroDivisionError):
        next(results)
