"""Lines by where they are: read when somebody asks, and never taken for others."""

import pytest

from pytest_judgeaudit.records.answers import Reply, StoredAnswer
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.store.lines import encode
from pytest_judgeaudit.store.places import Line, Moved, Places
from pytest_judgeaudit.store.snapshots import Snapshots, write_answers

MODULE, JUDGE = "evals/test_a.py", "own"


def stored(name, text):
    return StoredAnswer(name=name, fingerprint="f", parts={}, instrument="i", reply=Reply(text=text))


def write(folder, **texts):
    write_answers(folder, MODULE, JUDGE, {name: stored(name, text) for name, text in texts.items()})


@pytest.fixture
def places(tmp_path):
    """Two lines, the second after 4 bytes that are 2 characters."""
    file = tmp_path / "file.jsonl"
    lines = ["é\n", encode(stored("b", "two")), "\n", encode(stored("c", "three"))]
    file.write_text("".join(lines), encoding="utf-8")
    made = Places()
    assert made.add(Line(file, 2, "b", lines[1], 3))
    assert made.add(Line(file, 3, "c", lines[3], 3 + len(lines[1]) + 1))
    return made


def test_a_line_is_read_from_where_it_is(places):
    assert places.line("b").answer().reply.text == "two"
    assert places.line("c").answer().reply.text == "three"
    assert places.line("c").place.endswith("file.jsonl:3")


def test_the_first_line_of_a_name_stays(places):
    first = places.line("b")
    assert not places.add(first._replace(number=9))
    assert places.line("b").number == 2
    assert list(places) == ["b", "c"]
    assert "d" not in places


@pytest.mark.parametrize("now", ["", "x" * 900, None])
def test_a_line_that_is_no_longer_there_has_moved(places, now):
    path = places.line("b").path
    if now is None:
        path.unlink()
    else:
        path.write_text(now, "utf-8")
    with pytest.raises(Moved):
        places.line("c")


def test_a_file_that_another_run_has_written_meanwhile_is_read_again(tmp_path):
    write(tmp_path, b="two", c="three")
    snapshots = Snapshots(tmp_path)
    assert snapshots.find(MODULE, JUDGE, "b").reply.text == "two"
    write(tmp_path, a="one, which moves all others", c="another three")
    assert snapshots.find(MODULE, JUDGE, "c").reply.text == "another three"
    assert snapshots.find(MODULE, JUDGE, "a").reply.text == "one, which moves all others"


def test_a_file_that_is_written_all_the_time_is_refused(tmp_path, monkeypatch):
    write(tmp_path, b="two")
    snapshots = Snapshots(tmp_path)
    monkeypatch.setattr("pytest_judgeaudit.store.places._read", lambda *_: b"never the same")
    with pytest.raises(
        Refused, match=r"own\.jsonl: somebody is writing it\. Run again when that has ended\."
    ):
        snapshots.find(MODULE, JUDGE, "b")
