"""Progress where there is no terminal: what runs, how far it is, and how long the rest takes."""

from __future__ import annotations

import pytest

from steelyard.cli.progress import LINE_EVERY_S, Bars


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    printed = capsys.readouterr()
    assert printed.out == ""  # stdout belongs to the result
    return printed.err.splitlines()


def test_a_step_is_announced_measured_and_ended(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    with Bars(clock=lambda: now[0]) as bars:
        bars.tell("model · exam", 0, 50)
        assert lines(capsys) == ["running model · exam"]
        now[0] = LINE_EVERY_S - 1
        bars.tell("model · exam", 9, 50)
        assert lines(capsys) == []
        now[0] = LINE_EVERY_S
        bars.tell("model · exam", 10, 50)  # 10 of 50 in 10 s: 40 more take 40 s
        assert lines(capsys) == ["model · exam: 10 of 50, about 40 s left"]
        now[0] = 42.0
        bars.tell("model · exam", 50, 50)
        bars.tell("model · exam", 50, 50)
        assert lines(capsys) == ["model · exam: 50 of 50 in 42 s"]


def test_without_a_total_only_the_count_is_known(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    with Bars(clock=lambda: now[0]) as bars:
        bars.tell("checks", 0)
        now[0] = LINE_EVERY_S
        bars.tell("checks", 3)
    assert lines(capsys) == ["running checks", "checks: 3"]


def test_while_nothing_has_ended_nothing_is_promised(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    with Bars(clock=lambda: now[0]) as bars:
        bars.tell("slow", 0, 5)
        now[0] = LINE_EVERY_S
        bars.tell("slow", 0, 5)
    assert lines(capsys) == ["running slow", "slow: 0 of 5"]


def test_repeated_calls_are_visible(capsys: pytest.CaptureFixture[str]) -> None:
    now, repeated = [0.0], [0]
    with Bars(clock=lambda: now[0], retries=lambda: repeated[0]) as bars:
        bars.tell("model · exam", 0, 50)
        now[0], repeated[0] = LINE_EVERY_S, 3
        bars.tell("model · exam", 10, 50)
    assert lines(capsys)[-1] == "model · exam: 10 of 50, about 40 s left, 3 retries"
