"""YAML as people write it: lines everywhere, and nothing that surprises."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from steelyard.errors import InputError
from steelyard.yamlfile import (
    DEPTH,
    SIZE_LIMIT,
    Entry,
    Strict,
    YamlError,
    parse,
    parse_argument,
    parse_foreign,
    parse_output,
    read,
)

BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"

REFUSED = [
    ("", 1, "the file is empty"),
    ("# only a comment\n", 1, "the file is empty"),
    ("a: [\n", 2, "not valid YAML"),
    ("a: 1\n b: 2\n", 2, "not valid YAML: mapping values are not allowed here"),
    ("a: 1\n--- \nb: 2\n", 2, "a second document begins here"),
    ("a: 1\nb:\n  c: 1\n  c: 2\n", 4, "duplicate key 'c'"),
    ("a: 1\n'a': 2\n", 2, "duplicate key 'a'"),
    ("[{a: 1,\n  a: 2}]\n", 2, "duplicate key 'a'"),
    ("a: !!str b\n", 1, "the tag '!!str' is not allowed"),
    ("a: ! b\n", 1, "the tag '!' is not allowed"),
    ("x: 1\na: !foo\n", 2, "the tag '!foo' is not allowed"),
    ("a: !!set {b}\n", 1, "the tag '!!set' is not allowed"),
    ("a:\n  - 1\n  - !!python/object/apply:os.system [ls]\n", 3, "the tag '!!python/object/apply:os.system'"),
    ("a: 1\n!foo b: 1\n", 2, "the tag '!foo' is not allowed"),
    ("!bar\na: 1\n", 1, "the tag '!bar' is not allowed"),
    ("a: !unknown!x 1\n", 1, "not valid YAML: found undefined tag handle"),
    ("a: &x 1\nb: *x\n", 2, "anchors and aliases are not allowed"),
    (BOMB, 2, "anchors and aliases are not allowed"),
    ("a: &a {b: 1}\nc:\n  <<: *a\n", 3, "merge keys are not allowed"),
    ("? [a]\n: 1\n", 1, "a key must be text"),
    ("? {a: 1}\n: 1\n", 1, "a key must be text"),
    ("a: 1\n? \n: 2\n", 2, "a key must be text"),
    ("a: 1\nb: \x07\n", 2, "the character U+0007 is not allowed"),
    ("a:\n  " + "[" * 20_000, 2, "nested too deeply"),
    ("a: " + "{b: " * 20_000, 1, "nested too deeply"),
    ("- " * 20_000 + "a", 1, "nested too deeply"),
    ('a: 1\nb: "\\UFFFFFFFF"\n', 2, "not valid YAML"),
    ('a: 1\nb: "\\uD800"\n', 2, "the character U+D800 is not allowed"),
    ('"\\uDFFF": 1\n', 1, "the character U+DFFF is not allowed"),
]


@pytest.mark.parametrize(("text", "line", "problem"), REFUSED)
def test_what_could_surprise_is_refused_with_its_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(YamlError) as caught:
        parse(text, "f.yaml")
    assert str(caught.value).startswith(f"f.yaml, line {line}: {problem}")
    assert (caught.value.line, caught.value.problem[: len(problem)]) == (line, problem)


def test_depth_is_counted_from_the_top_and_not_over_the_whole_file() -> None:
    parse("[" * DEPTH + "]" * DEPTH, "f")
    parse("- [[1]]\n" * 50, "f")
    with pytest.raises(InputError, match="nested too deeply"):
        parse("[" * (DEPTH + 1) + "]" * (DEPTH + 1), "f")


def test_scalars_stay_text_and_become_values_on_request() -> None:
    text = "t: on\nn: 0.10\ni: 1_000\nd: 2024-01-02\ne: =\nm: <<\nq: '5'\nz:\nl: [~, null]\n"
    entry = parse(text, "f")
    fields = entry.mapping("a file")
    assert [fields[name].text() for name in "tnidemqz"] == ["on", "0.10", "1_000", "2024-01-02", "=", "<<", "5", ""]
    assert entry.data() == {
        "t": True,
        "n": Decimal("0.10"),
        "i": Decimal(1000),
        "d": "2024-01-02",
        "e": "=",
        "m": "<<",
        "q": "5",
        "z": None,
        "l": [None, None],
    }
    with pytest.raises(InputError, match=r"f, line 2: '0x1F' is not"):
        parse("a: 1\nb: 0x1F\n", "f").data()


def test_an_entry_says_what_it_is_not() -> None:
    entry = parse("a: 1\nb: [x]\nc: {d: 1}\n", "f.yaml")
    fields = entry.mapping("a file", {"a", "b", "c"})
    with pytest.raises(InputError, match=r"f\.yaml, line 2: text expected here"):
        fields["b"].text()
    with pytest.raises(InputError, match=r"f\.yaml, line 1: a pair"):
        fields["a"].mapping("a pair")
    with pytest.raises(InputError, match=r"f\.yaml, line 3: runs"):
        fields["c"].items("runs")
    with pytest.raises(InputError, match=r"line 3: unknown field 'c'"):
        entry.mapping("a file", {"a", "b"})


class Inner(Strict):
    id: str
    size: Annotated[int, Field(ge=1)] = 1


class Other(Strict):
    kind: Literal["other"]
    path: str


class Outer(Strict):
    name: Annotated[str, Field(min_length=1)]
    on: bool = True
    items: tuple[Inner, ...] = ()
    either: Inner | Other | None = None
    words: dict[str, str] = Field(default_factory=dict)

    @field_validator("items")
    @classmethod
    def _unique(cls, items: tuple[Inner, ...]) -> tuple[Inner, ...]:
        if len({item.id for item in items}) < len(items):
            raise PydanticCustomError("twice", "duplicate id", {"at": (1, "id")})
        return items

    @field_validator("words")
    @classmethod
    def _few(cls, words: dict[str, str]) -> dict[str, str]:
        if len(words) > 1:
            raise ValueError("one word is enough")
        return words


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("[]", 1, "the document must be a mapping of keys and values"),
        ("~", 1, "the document must not be empty"),
        ("on: yes\n", 1, "name: is missing"),
        ("name:\n", 1, "name: must not be empty"),
        ("name: ''\n", 1, "name: must not be empty"),
        ("name: 5\n", 1, "name: must be text"),
        ("name: n\nnmae: m\n", 2, "nmae: unknown key"),
        ("name: n\nnmae:\n", 2, "nmae: unknown key"),
        ("name: n\non: maybe\n", 2, "on: must be true or false"),
        ("name: n\nitems: x\n", 2, "items: must be a list"),
        ("name: n\nitems:\n  - {id: a}\n  - size: 2\n", 4, "items.1.id: is missing"),
        ("name: n\nitems:\n  - id: a\n    size: many\n", 4, "items.0.size: must be a whole number"),
        ("name: n\nitems:\n  - id: a\n    size: 0\n", 4, "items.0.size: must be greater than or equal to 1"),
        ("name: n\nitems:\n  - id: a\n  - id: a\n", 4, "items.1.id: duplicate id"),
        ("name: n\nwords:\n  a: b\n  c: d\n", 2, "words: one word is enough"),
        # pydantic's location also holds "Inner", the member of the union; the document does not.
        ("name: n\neither:\n  kind: other\n", 2, "either.id: is missing"),
    ],
)
def test_a_model_that_does_not_fit_is_one_sentence_with_the_line(text: str, line: int, says: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, "f.yaml").validated(Outer)
    assert str(caught.value) == f"f.yaml, line {line}: {says}"


def test_files_are_read_with_or_without_a_byte_order_mark_and_up_to_a_size(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"\xef\xbb\xbfname: n\n")
    assert read(path).validated(Outer).name == "n"
    with pytest.raises(InputError, match=r"cannot read .*gone\.yaml"):
        read(tmp_path / "gone.yaml")
    path.write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"cannot read .*f\.yaml"):
        read(path)
    with path.open("wb") as sparse:
        sparse.truncate(SIZE_LIMIT + 1)
    with pytest.raises(InputError, match="is larger than 20 MB"):
        read(path)


def test_the_format_of_another_program_may_hold_tags_and_aliases_but_no_duplicates() -> None:
    entry = parse_foreign("a: !Ref b\nc: &x {d: 1}\n<<: *x\n? [p]\n: 1\n? [q]\n: 2\n", "f")
    assert entry is not None and entry.mapping("a file")["a"].text() == "b"
    assert parse_foreign("# nothing\n", "f") is None
    assert parse_foreign(BOMB, "f") is not None
    with pytest.raises(YamlError, match="line 2: duplicate key 'a'"):
        parse_foreign("a: 1\na: 2\n", "f")
    with pytest.raises(YamlError, match="nested too deeply"):
        parse_foreign("[" * 5_000, "f")


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("- a: 1\n  a: 2\n", [{"a": 2}]),
        ("just text", None),
        (BOMB, None),
        ("a: !!python/object/apply:os.system [ls]", None),
        ("[" * 5_000, None),
        ("- " * 5_000 + "a", None),
        ("a: 2024-99-99\n", None),
        ('a: "\\UFFFFFFFF"\n', None),
        ("a: !!timestamp x\n", None),
        ("a: !!bool x\n", None),
        ("a: !!int ''\n", None),
        ("a: 0x1F\nb: 1:30\n", {"a": 31, "b": 90}),
        (f"a: 0x{'f' * 6_000}\n", None),
    ],
)
def test_an_answer_in_yaml_is_data_or_nothing(text: str, data: Any) -> None:
    assert parse_output(text) == data


def test_an_argument_is_yaml_or_the_text_itself() -> None:
    values = {"5": 5, "0.5": 0.5, "true": True, "[a, 1]": ["a", 1], "": None, "*.py": "*.py", "a: b: c": "a: b: c"}
    assert {text: parse_argument(text) for text in values} == values
    assert parse_argument("!!python/object/apply:os.system [ls]").startswith("!!python")


VALUES = st.recursive(
    st.none() | st.booleans() | st.text() | st.integers(-(10**6), 10**6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(min_size=1), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_what_yaml_writes_is_read_back(value: Any) -> None:
    # `_Plain` writes a list that occurs twice in full: aliases are refused.
    text = yaml.dump(value, Dumper=_Plain)
    assert parse(text, "f").data() == value


@given(st.text(max_size=200))
def test_any_text_is_a_document_or_an_error_with_a_line_inside_the_text(text: str) -> None:
    try:
        entry = parse(text, "f")
    except YamlError as error:
        assert 1 <= error.line <= len(text.splitlines()) + 1
    else:
        assert isinstance(entry, Entry)


class _Plain(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True
