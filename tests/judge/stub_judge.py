"""Rubrics, texts and replies for tests, and `stub/NAME`: a judge that gives the replies a test registers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, modelapi

from ..codes import grades, with_code

DIMENSIONS = """
name: two dimensions
about: an answer
dimensions:
  - {id: accuracy, about: is it right}
  - {id: quality, about: is it good}
"""

CRITERIA = """
name: two criteria
about: an answer
criteria:
  - {id: names_queue, question: does it name the queue, weight: 0.75}
  - {id: names_store, question: does it name the store, weight: 0.25}
"""

TEXT = "Messages wait in a queue until a worker takes them. The pictures stand in a bucket."


def graded(accuracy: float = 0.8, quality: float = 0.6) -> str:
    """A reply on the rubric of dimensions."""
    return grades({"is it right": accuracy, "is it good": quality})


Reply = Callable[[list[Any]], ModelOutput | str]
REPLIES: dict[str, Reply] = {}


@modelapi(name="stub")
class StubJudge(ModelAPI):
    """`stub/NAME` replies with whatever the test registered under NAME."""

    def __init__(self, model_name: str, base_url: str | None = None, api_key: str | None = None,
                 config: GenerateConfig | None = None, **_: Any) -> None:  # fmt: skip
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())

    def connection_key(self) -> str:
        """Inspect's limit of connections is that of this judge alone, and so of one test."""
        return self.model_name

    async def generate(self, input: list[Any], tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        reply: Any = REPLIES[self.model_name](input)
        if hasattr(reply, "__await__"):
            reply = await reply
        output = reply if isinstance(reply, ModelOutput) else ModelOutput.from_content(self.model_name, reply)
        if output.choices:
            output = output.model_copy(deep=True)
            output.completion = with_code(output.completion, input[-1].text, input[0].text)
        return output
