"""The exam solver: Inspect's `multiple_choice` with our prompts (docs/scoring.md §1.3)."""

from __future__ import annotations

from importlib.resources import files

from inspect_ai.solver import Generate, Solver, TaskState, multiple_choice, solver


@solver
def exam_solver() -> Solver:
    """Inspect's `multiple_choice`, for one letter or several as the sample requires; the scorer reads the reply."""
    single = multiple_choice(template=_prompt("single"), multiple_correct=False)
    several = multiple_choice(template=_prompt("several"), multiple_correct=True)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await (several if len(state.target) > 1 else single)(state, generate)

    return solve


def _prompt(name: str) -> str:
    return files("steelyard.bench.practice_exam").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8").strip()
