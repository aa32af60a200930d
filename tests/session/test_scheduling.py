"""Live, under xdist: queues stay filled, and every item is sent once."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_judgeaudit.session.scheduling import SteadyScheduler

pytest.importorskip("xdist")


class Node:
    """A worker that notes what it was sent."""

    def __init__(self, name):
        self.gateway = SimpleNamespace(id=name)
        self.sent, self.shutting_down = [], False

    def send_runtest_some(self, indices):
        self.sent.extend(indices)

    def shutdown(self):
        self.shutting_down = True


def config(dist="load"):
    known = {"dist": dist, "tx": ["popen"] * 2, "maxschedchunk": None}
    return SimpleNamespace(getoption=known.get, getvalue=known.get, option=SimpleNamespace(**known))


def scheduled(items, *, in_flight):
    """A scheduler that has sent out the first items to two workers."""
    made = SteadyScheduler(in_flight=in_flight).pytest_xdist_make_scheduler(config(), None)
    nodes = [Node("gw0"), Node("gw1")]
    for node in nodes:
        made.add_node(node)
        made.add_node_collection(node, [f"test[{number}]" for number in range(items)])
    made.schedule()
    return made, nodes


def waiting(made, node):
    return len(made.node2pending[node])


@pytest.mark.parametrize("dist", ["loadscope", "loadfile", "loadgroup", "worksteal", "each", "no"])
def test_other_ways_to_distribute_are_left_alone(dist):
    made = SteadyScheduler(in_flight=4).pytest_xdist_make_scheduler(config(dist), None)
    assert made is None


def test_a_worker_is_given_twice_as_many_items_as_may_be_in_flight_however_long_they_take():
    made, nodes = scheduled(400, in_flight=8)
    for _ in range(60):
        for node in nodes:
            made.mark_test_complete(node, made.node2pending[node][0], duration=30.0)
            assert waiting(made, node) >= 16


@pytest.mark.parametrize("in_flight", [0, 1, 50])
def test_every_item_is_sent_once_and_then_the_workers_end(in_flight):
    made, nodes = scheduled(37, in_flight=in_flight)
    while not made.tests_finished:
        node = max(nodes, key=lambda one: waiting(made, one))
        made.mark_test_complete(node, made.node2pending[node][0], duration=1.0)
    assert sorted(index for node in nodes for index in node.sent) == list(range(37))
    assert all(node.shutting_down for node in nodes)
