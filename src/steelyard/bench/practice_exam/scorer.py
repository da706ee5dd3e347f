"""The exam scorer: Inspect's `choice`, plus a reason for every reply without letters (docs/scoring.md §1.3).

    score = C if the letters in the reply are exactly the right letters, else I

All or nothing. A reply without usable letters is the model's fault and scores I, never "no answer" and never unscored;
`reason` says why: `truncated` (cut off by the token limit), `refusal` (stopped by the provider's filter), `no_response`
(empty) or `invalid_response_format`. A reply that was cut off after its letters is scored by its letters.
"""

from __future__ import annotations

from inspect_ai.scorer import INCORRECT, Score, Scorer, Target, accuracy, choice, scorer, stderr
from inspect_ai.solver import TaskState

from steelyard.bench.practice_exam.dataset import LETTERS
from steelyard.bench.practice_exam.letters import read_letters
from steelyard.logs.scores import STOPPED

SCORER_VERSION = "7"
"""Changes whenever the same reply could score differently. 2: letters in markup, with their texts or a reason. 3: boxed
letters, sentences, other languages, one letter per line; letters that the reply takes back do not count. 4, 5:
conclusions without a label. 6: letters with a reason and nothing before them. 7: `ANSWER:` anywhere; no reasoning."""

_SENTENCES = {
    "truncated": "The reply was cut off by a token limit before it gave its letters.",
    "refusal": "The reply was stopped by the provider's content filter before it gave its letters.",
    "no_response": "The reply is empty.",
    "invalid_response_format": "The reply names no letters of the choices as its answer, or leaves open which.",
}


@scorer(name="choice", metrics=[accuracy(), stderr()])
def exam_scorer() -> Scorer:
    """Inspect's `choice` on the letters that `letters` reads, with a reason for every reply without usable ones.

    Whatever the solver marked does not count: Inspect knows no reasoning and takes `Wrong answer: B` for B, and a state
    rebuilt from a log has nothing marked.
    """
    compare = choice()

    async def score(state: TaskState, target: Target) -> Score:
        choices = [option.value for option in state.choices]
        letters = read_letters(state.output.completion, choices, several=len(target) > 1)
        if not letters:
            return _zero(state.output.completion, state.output.stop_reason)
        for place, letter in enumerate(LETTERS[: len(choices)]):
            state.choices.mark_choice(place, letter in letters)
        verdict = await compare(state, target)
        if verdict is None:
            raise RuntimeError("Inspect's choice scorer returned no score")
        return verdict

    return score


def _zero(completion: str, stop_reason: str) -> Score:
    reason = STOPPED.get(stop_reason) or ("invalid_response_format" if completion.strip() else "no_response")
    return Score(
        value=INCORRECT,
        answer="",
        explanation=f"{_SENTENCES[reason]}\n\n{completion}".strip(),
        reason=reason,
        metadata={"reason": reason, "fault": "model", "stop_reason": stop_reason},
    )
