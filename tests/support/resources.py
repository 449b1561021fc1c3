"""Which resources each test needs, found by its fixtures and by the helpers that its module imports.

From this follow the marker ``quick``, for tests that need none; which tests must run in the same process; and the order,
since those that take longest have to begin first if two processes are to end together.
"""

import inspect

import pytest

FIXTURES = {
    "client": "cluster",
    "browser": "browser",
    "server": "processes",
    "processes": "processes",
    "data_folder": "data",
}
HELPERS = {
    "clusters": "cluster",
    "command": "processes",
    "documented": "processes",
    "serving": "processes",
    "small_disk": "processes",
    "subprocess": "processes",
}
LONGEST_FIRST = ("cluster", "browser", "processes", "data")


def resources_of(item):
    """Return the resources that a test needs."""
    helpers = {
        value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None)
        for value in vars(getattr(item, "module", None) or object).values()
    }
    return {HELPERS[name] for name in helpers & HELPERS.keys()} | {
        FIXTURES[name] for name in FIXTURES.keys() & set(getattr(item, "fixturenames", ()))
    }


def arrange(items):
    """Mark tests as quick or not, and put them into groups and in order.

    A group is a module, so that fixtures of modules are set up once, but for the tests on the cluster, which are one group.
    """
    ranks = {}
    for item in items:
        needs = resources_of(item)
        if not needs:
            item.add_marker(pytest.mark.quick)
        group = "cluster" if "client" in getattr(item, "fixturenames", ()) else item.nodeid.partition("::")[0]
        item.add_marker(pytest.mark.xdist_group(group))
        rank = min(map(LONGEST_FIRST.index, needs), default=len(LONGEST_FIRST))
        ranks[group] = min(rank, ranks.get(group, rank))
    order = {group: (rank, number) for number, (group, rank) in enumerate(ranks.items())}
    items.sort(key=lambda item: order[item.get_closest_marker("xdist_group").args[0]])
