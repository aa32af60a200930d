"""Interval overlap: the slots in which two jobs with their cleaning times meet before closing."""

from __future__ import annotations

from pytest_judgeaudit.corpora.finite_code.domains import Domain, Integers
from pytest_judgeaudit.corpora.finite_code.templates import Family, Fault, Setting

TASK = """\
Time is divided into slots numbered 0, 1, 2 and so on. Job one works in the first_length slots that \
begin with slot first_start, job two in the second_length slots that begin with slot second_start. \
Each job is followed at once by a cleaning time that belongs to it; its length in slots is $CLEAN. \
The workshop closes after slot $LAST, and later slots do not count. Return the number of slots that \
belong to both jobs."""

ENDS = """\
def solve(first_start, first_length, second_start, second_length):
    first_stop = first_start + first_length + $CLEAN
    second_stop = second_start + second_length + $CLEAN
    start = max(first_start, second_start)
    stop = min(first_stop, second_stop, $LAST + 1)
    return max(0, stop - start)
"""

SLOTS = """\
def solve(first_start, first_length, second_start, second_length):
    shared = 0
    for slot in range($LAST + 1):
        age = slot - first_start
        other = slot - second_start
        if 0 <= age < first_length + $CLEAN and 0 <= other < second_length + $CLEAN:
            shared += 1
    return shared
"""

FAULTS = {
    "negative when apart": Fault(shape="ends", was="max(0, stop - start)", now="stop - start"),
    "both ends counted": Fault(shape="ends", was="stop - start)", now="stop - start + 1)"),
    "closing ignored": Fault(shape="ends", was=", $LAST + 1)", now=")"),
    "first not cleaned": Fault(shape="ends", was="first_length + $CLEAN", now="first_length"),
    "closes one early": Fault(shape="ends", was="$LAST + 1)", now="$LAST)"),
    "one slot more": Fault(
        shape="slots", was="other < second_length + $CLEAN", now="other <= second_length + $CLEAN"
    ),
    "last slot missed": Fault(shape="slots", was="range($LAST + 1)", now="range($LAST)"),
    "first slot missed": Fault(shape="slots", was="0 <= age", now="0 < age"),
    "second not cleaned": Fault(shape="slots", was="second_length + $CLEAN", now="second_length"),
    "slot zero missed": Fault(shape="slots", was="range($LAST + 1)", now="range(1, $LAST + 1)"),
}


def _setting(
    clean: int, last: int, *, start: int, length: tuple[int, int], reference: str, fault: str
) -> Setting:
    shortest, longest = length
    domain = Domain(
        arguments=(
            Integers(name="first_start", low=0, high=start),
            Integers(name="first_length", low=shortest, high=longest),
            Integers(name="second_start", low=0, high=start),
            Integers(name="second_length", low=shortest, high=longest),
        )
    )
    values = {"CLEAN": clean, "LAST": last}
    return Setting(values=values, domain=domain, reference=reference, fault=fault)


FAMILY = Family(
    name="overlap",
    task=TASK,
    shapes={"ends": ENDS, "slots": SLOTS},
    faults=FAULTS,
    settings=(
        _setting(1, 7, start=6, length=(1, 3), reference="ends", fault="one slot more"),
        _setting(2, 8, start=6, length=(1, 3), reference="slots", fault="negative when apart"),
        _setting(1, 6, start=5, length=(1, 4), reference="ends", fault="both ends counted"),
        _setting(3, 7, start=5, length=(1, 4), reference="slots", fault="slot zero missed"),
        _setting(2, 6, start=5, length=(2, 5), reference="ends", fault="closing ignored"),
        _setting(1, 8, start=6, length=(2, 4), reference="slots", fault="first not cleaned"),
        _setting(2, 7, start=6, length=(1, 3), reference="ends", fault="first slot missed"),
        _setting(3, 8, start=6, length=(1, 3), reference="slots", fault="closes one early"),
        _setting(1, 9, start=7, length=(1, 3), reference="ends", fault="negative when apart"),
        _setting(2, 5, start=5, length=(1, 4), reference="slots", fault="second not cleaned"),
        _setting(3, 6, start=5, length=(1, 4), reference="ends", fault="last slot missed"),
        _setting(1, 5, start=5, length=(1, 4), reference="slots", fault="one slot more"),
    ),
)
