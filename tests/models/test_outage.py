"""When a failing model is left alone: the law at the top of `models/outage`."""

from __future__ import annotations

import anyio
import pytest

from steelyard.models import outage
from steelyard.models.fault import NotAsked
from steelyard.models.outage import PAUSES, RUNS, Outage


async def fail(model: Outage, why: str = "403 Forbidden: no") -> None:
    async with model.run() as turn:
        turn.failed(why)


async def failed_in_a_row(model: Outage, number: int) -> None:
    for _ in range(number):
        await fail(model)


def test_an_answer_between_two_faults_begins_the_count_anew() -> None:
    async def check() -> None:
        model = Outage()
        await failed_in_a_row(model, RUNS - 1)
        model.answered()
        await failed_in_a_row(model, RUNS - 1)
        assert model.failed == RUNS - 1
        async with model.run():
            pass

    anyio.run(check)


def test_a_run_during_which_others_were_answered_does_not_count() -> None:
    async def check() -> None:
        model = Outage()
        async with model.run() as turn:
            model.answered()
            turn.failed("500 Internal Server Error")
        assert model.failed == 0

    anyio.run(check)


def test_runs_wait_for_the_one_that_tries_again_and_go_on_with_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outage, "PAUSE_S", 0.01)

    async def check() -> None:
        model, asked = Outage(), list[int]()
        await failed_in_a_row(model, RUNS)

        async def run(number: int) -> None:
            async with model.run():
                asked.append(number)
                model.answered()

        async with anyio.create_task_group() as group:
            for number in range(5):
                group.start_soon(run, number)
        assert sorted(asked) == [0, 1, 2, 3, 4]

    anyio.run(check)


def test_nobody_waits_for_what_no_wait_mends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outage, "PAUSE_S", 86_400)

    async def check() -> None:
        model = Outage()
        for _ in range(RUNS):
            async with model.run() as turn:
                turn.failed("401 Unauthorized: wrong key", lasting=True)
        with pytest.raises(NotAsked, match="401 Unauthorized: wrong key"):
            await fail(model)
        model.resumes = 0.0  # the pause has passed: the key may be another one now
        async with model.run():
            model.answered()
        await fail(model)

    anyio.run(check)


def test_after_the_pauses_in_vain_nobody_waits_and_the_cause_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outage, "PAUSE_S", 0.01)

    async def check() -> None:
        model = Outage()
        await failed_in_a_row(model, RUNS + PAUSES - 1)
        monkeypatch.setattr(outage, "PAUSE_S", 86_400)
        await fail(model, "404 Not Found: no such model")
        with pytest.raises(NotAsked) as refused:
            await fail(model)
        number = RUNS + PAUSES
        reason = f"not asked, because {number} runs in a row had no answer, the last one: 404 Not Found: no such model"
        assert str(refused.value) == reason
        model.resumes = 0.0  # the pause has passed
        async with model.run():
            model.answered()
        async with model.run():
            pass

    anyio.run(check)


def test_a_run_that_is_cancelled_while_it_waits_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outage, "PAUSE_S", 86_400)

    async def check() -> None:
        model = Outage()
        await failed_in_a_row(model, RUNS)
        with anyio.move_on_after(0.01):
            await fail(model)
        assert model.trial is None

    anyio.run(check)
