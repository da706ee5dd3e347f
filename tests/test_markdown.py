"""Code fences in Markdown as models write it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.markdown import Block, Fence, block_at, blocks, fence_at, fences, unfenced


@pytest.mark.parametrize(
    ("line", "prefix", "marks", "tag", "bare"),
    [
        ("```", "", "```", "", True),
        ("````python", "", "````", "python", False),
        ("~~~ Mermaid title", "", "~~~", "mermaid", False),
        ("```{.python .numberLines}", "", "```", "python", False),
        ("\t```py", "\t", "```", "py", False),
        ("      ```  ", "      ", "```", "", True),
        ("> > ```json", "> > ", "```", "json", False),
        ("12. ```c++", "12. ", "```", "c++", False),
        ("- ```", "- ", "```", "", True),
    ],
)
def test_a_fence_is_recognised_wherever_models_put_it(line: str, prefix: str, marks: str, tag: str, bare: bool) -> None:
    fence = fence_at([line], 0)
    assert fence is not None
    assert (fence.prefix, fence.marks, fence.tag, fence.bare) == (prefix, marks, tag, bare)


@pytest.mark.parametrize("line", ["``", "text ```", "```inline``` code", "`` ` ``", "~~", "-```", ""])
def test_other_lines_are_no_fence(line: str) -> None:
    assert fence_at([line], 0) is None


def ends(text: str, indent: int | None = None) -> list[tuple[int, int | None]]:
    return [(block.opening.line, block.end) for block in blocks(text.split("\n"), indent)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```\na\n```\n~~~\nb\n~~~", [(0, 2), (3, 5)]),
        ("````\n```\n```\n````", [(0, 3)]),  # a shorter fence is content
        ("```\n~~~\n```", [(0, 2)]),  # and so is another kind
        ("```\n```python\n```", [(0, 2)]),  # a closing fence is bare
        ("```\na\n", [(0, None)]),
        ("> ```\na\n```\nb", [(2, None)]),  # a quoted fence opens nothing outside the quotation
        ("```\n> ```\n   ```", [(0, 2)]),
    ],
)
def test_a_block_ends_at_the_first_line_that_can_close_it(text: str, found: list[tuple[int, int | None]]) -> None:
    assert ends(text) == found


def test_an_opening_may_be_limited_to_a_small_indent() -> None:
    assert ends("    ```\na\n    ```", 3) == []
    assert ends("   ```\na\n        ```", 3) == [(0, 2)]


def test_a_block_holds_its_lines_or_the_rest_of_the_text() -> None:
    lines = ["```", "a", "b", "```", "c"]
    assert Block(Fence(0, "", "```", ""), 3).text(lines) == "a\nb"
    assert Block(Fence(0, "", "```", ""), None).text(lines) == "a\nb\n```\nc"


def test_one_fence_around_everything_is_taken_off() -> None:
    assert unfenced('```json\n{"a": 1}\n```', ("", "json")) == '{"a": 1}'
    for text in ("```yaml\na: 1\n```", '{"a": 1}', "```\n", "``````", "```json\na\n``` b"):
        assert unfenced(text, ("", "json")) == text


@pytest.mark.parametrize(
    "text",
    [
        "`" * 1_000_000,
        " \t" * 500_000,
        "> " * 500_000,
        "1" * 1_000_000,
        "- " * 500_000,
        "```\n" * 250_000,
        "```a\n" * 200_000,
        "".join("`" * (3 + number % 7) + "x\n" for number in range(100_000)),
    ],
    ids=["marks", "tabs", "quotes", "digits", "lists", "bare", "tagged", "lengths"],
)
def test_hostile_text_takes_linear_time(text: str) -> None:
    begin = time.process_time()
    list(blocks(text.split("\n")))
    assert time.process_time() - begin < 100  # seconds of CPU; quadratic time would be hours


LINES = st.lists(st.sampled_from(["```", "````", "~~~", "```py", "  ```", "> ```", "- ```", "text", ""]), max_size=30)


@given(LINES)
def test_blocks_do_not_overlap_and_each_fence_is_read_once(lines: list[str]) -> None:
    last = -1
    for block in blocks(lines):
        assert block.opening.line > last
        assert block == block_at(lines, block.opening.line)
        last = len(lines) if block.end is None else block.end
        assert block.end is None or block.end > block.opening.line
    assert [fence.line for fence in fences(lines)] == [i for i, line in enumerate(lines) if "`" in line or "~" in line]
