"""The exam solver: Inspect's `multiple_choice` writes the prompt, `letters` reads the reply (docs/scoring.md §1.3)."""

from __future__ import annotations

from copy import deepcopy
from importlib.resources import files
from typing import Any

from inspect_ai.solver import Generate, Solver, TaskState, multiple_choice, solver

from steelyard.bench.practice_exam.dataset import LETTERS
from steelyard.bench.practice_exam.letters import read_letters


@solver
def exam_solver() -> Solver:
    """Inspect's `multiple_choice`, for one letter or several as the sample requires.

    `letters` reads the reply, whatever Inspect read in it, which knows no reasoning and takes `Wrong answer: B` for B.
    The recorded reply stays as the model wrote it.
    """
    single = multiple_choice(template=_prompt("single"), multiple_correct=False)
    several = multiple_choice(template=_prompt("several"), multiple_correct=True)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        multiple = len(state.target) > 1
        solved = await (several if multiple else single)(state, generate)
        letters = read_letters(solved.output.completion, [option.value for option in solved.choices], several=multiple)
        for place in range(len(solved.choices)):
            solved.choices.mark_choice(place, LETTERS[place] in letters)
        return solved

    return solve


async def read_again(state: TaskState) -> TaskState:
    """The same reply with its letters read: a state that Inspect rebuilds from a log has lost the marked choices."""

    async def recorded(state: TaskState, tool_calls: str = "loop", **config: Any) -> TaskState:
        return state

    return await exam_solver()(deepcopy(state), recorded)


def _prompt(name: str) -> str:
    return files("steelyard.bench.practice_exam").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8").strip()
