"""Which resources each test needs, found by its fixtures and by the helpers that its module imports.

From this follow the marker ``quick``, for tests that need none; which tests must run in the same process; and the order,
since those that take longest have to begin first if two processes are to end together.
"""

import inspect
from functools import cache

import pytest
from repository import ROOT

FIXTURES = {
    "client": "cluster",
    "browser": "browser",
    "server": "processes",
    "processes": "processes",
    "data_folder": "data",
    "minilm": "model",
}
HELPERS = {
    "clusters": "cluster",
    "command": "processes",
    "documented": "processes",
    "serving": "processes",
    "small_disk": "processes",
    "subprocess": "processes",
}
LONGEST_FIRST = ("cluster", "browser", "processes", "data", "model")


def resources_of(item):
    """Return the resources that a test needs."""
    helpers = {
        value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None)
        for value in vars(getattr(item, "module", None) or object).values()
    }
    return {HELPERS[name] for name in helpers & HELPERS.keys()} | {
        FIXTURES[name] for name in FIXTURES.keys() & set(getattr(item, "fixturenames", ()))
    }


@cache
def group_of(module):
    """Return the group of a module's tests: tests on the cluster are one, as they share it; any other module is its own."""
    path = ROOT / module
    on_cluster = path.suffix == ".py" and "\nfrom clusters import " in path.read_text(encoding="utf-8")
    return "cluster" if on_cluster else module


def module_of(nodeid):
    return nodeid.partition("::")[0]


def is_last_on_cluster(item, next_item):
    """Return whether a test is the last in its process of those that share the cluster."""
    ours, its = (item and group_of(module_of(item.nodeid)) for item in (item, next_item))
    return ours == "cluster" != its


def arrange(items):
    """Mark the tests that are quick, and begin with the groups that take longest."""
    ranks = {}
    for item in items:
        needs = resources_of(item)
        if not needs:
            item.add_marker(pytest.mark.quick)
        rank = min(map(LONGEST_FIRST.index, needs), default=len(LONGEST_FIRST))
        group = group_of(module_of(item.nodeid))
        ranks[group] = min(rank, ranks.get(group, rank))
    order = {group: (rank, number) for number, (group, rank) in enumerate(ranks.items())}
    items.sort(key=lambda item: order[group_of(module_of(item.nodeid))])


def scheduler(config, log):
    """Return what hands out tests to processes, group by group."""
    from xdist.scheduler import LoadScopeScheduling

    class GroupScheduling(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return group_of(module_of(nodeid))

    return GroupScheduling(config, log)
