"""Tests in JavaScript, Rust and Go changed so that they expect another value. Pure: text in, text out.

A test that passes fails once the equalities that it always reaches expect other literals, equal ones the same.
Code that looks up the expected value in the test passes all the same, and gives itself away. Python has the same in
`mutants`, which reads a syntax tree; here there are tokens only. So a test is changed where it is certain: the equality
is a statement of the test's own body, no `return` comes before it, one of its sides is a literal, and no other test has
the name.
"""

from __future__ import annotations

import posixpath
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from steelyard.gate.checks.draws import another_number, another_text

_TOKEN = r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<text>"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`%s)
    |(?P<number>(?<![\w.$])\d+(?:\.\d+)?(?![\w.]))
    |(?P<word>[\w$]+(?:!(?!=))?%s)
    |(?P<mark>=>|!=|==|&&|\|\||.)"""
# Single quotes hold a text in JavaScript and a character in Rust and Go; Rust also has lifetimes (`'a`).
_QUOTED, _CHARACTER = r"|'(?:\\.|[^'\\\n])*'", r"|'(?:\\[^']+|[^'\\])'|'\w+"
_TOKENS = {
    runner: re.compile(_TOKEN % (("", _CHARACTER) if runner != "node" else (_QUOTED, "")), re.DOTALL | re.VERBOSE)
    for runner in ("node", "cargo", "go")
}
_UNSURE = {"node": re.compile(r"[(,=:\[!&|?{};]\s*/(?![/*])"), "cargo": re.compile(r'\br#*"')}
"""Regular expressions and raw strings, in which quotation marks and brackets do not mean what they seem."""
_CLOSING = {")": "(", "]": "[", "}": "{"}
_EQUALITIES = frozenset({"equal", "strictEqual", "deepEqual", "deepStrictEqual", "assert_eq!"})
_LITERAL_WORDS = frozenset({"true", "false", "null", "undefined", "Some", "Ok", "vec!"})
_LITERAL_MARKS = frozenset("[]{}(),:-&")
_OPPOSITES = {"true": "false", "false": "true"}
_GOES_ON = frozenset(
    {
        *("=", "=>", ",", "(", "?", ":", "&&", "||", "+", "-", "*", "/", "<", ">", "!", "."),
        *("else", "do", "return", "await", "yield", "typeof", "new", "in", "of", "throw"),
    }
)
"""After which a new line goes on with the statement before it."""
_FAILS = frozenset({"Fatal", "Fatalf", "Error", "Errorf", "Fail", "FailNow"})


class Token(NamedTuple):
    kind: str
    text: str
    begin: int
    after_line: bool
    """Whether it is the first of its line."""


class _Change(NamedTuple):
    begin: int
    end: int
    text: str


_Draw = Callable[[dict[str, tuple[int, str]]], _Change]
"""Draws a change of an equality, given what was drawn in the same test: a literal → its part that changes, and to what.
Whoever finds the same value twice in a test learns nothing from the second."""


class Expecting:
    """Files of tests that can expect other values."""

    def __init__(self, files: Mapping[str, bytes], runner: str) -> None:
        self._sources = {path: _TestFile(data, runner) for path, data in files.items()}
        # Counted over all words and texts: a name that stands anywhere else may be that of a second test, and a report
        # could mean either.
        known = Counter(name for source in self._sources.values() for name in source.texts)
        self._tests = {
            _reported(path, name, runner): (path, equalities)
            for path, source in self._sources.items()
            for name, equalities in source.tests.items()
            if known[name] == 1
        }
        self.names = frozenset(self._tests)
        """The tests that can, as `is_reported` takes them."""

    def changed(self, names: Set[str]) -> dict[str, bytes]:
        """The files in which these tests expect another value, which is drawn anew."""
        edits: dict[str, list[_Change]] = {}
        for path, equalities in (self._tests[name] for name in sorted(names)):
            drawn: dict[str, tuple[int, str]] = {}
            edits.setdefault(path, []).extend(draw(drawn) for draw in equalities)
        return {path: self._sources[path].edited(each) for path, each in edits.items()}


def _reported(path: str, name: str, runner: str) -> str:
    """How a report calls a test, or how that ends: Go puts the package before it, and others have such names too."""
    return f"/{posixpath.dirname(path)} {name}" if runner == "go" else name


def is_reported(names: Set[str], name: str) -> bool:
    """Whether a report means one of these tests by this name."""
    packaged = tuple(each for each in names if each.startswith("/"))
    return name in names or name.endswith(packaged)


class _TestFile:
    """One file."""

    def __init__(self, data: bytes, runner: str) -> None:
        self._runner = runner
        # Bytes that are not UTF-8 must come back as they were.
        self._text = data.decode("utf-8", "surrogateescape")
        unsure = _UNSURE.get(runner)
        self._tokens = [] if unsure and unsure.search(self._text) else list(_tokens(self._text, _TOKENS[runner]))
        self._opened = list(_enclosing(self._tokens))
        self.texts = [token.text.strip("\"'`") for token in self._tokens]
        """Names and titles, among others."""
        self.tests: dict[str, list[_Draw]] = {}
        """Name of a test → its equalities that it always reaches."""
        for place in range(len(self._tokens)):
            if (edit := self._edit(place)) and (name := self._test(self._start(place))):
                self.tests.setdefault(name, []).append(edit)

    def edited(self, edits: Sequence[_Change]) -> bytes:
        text = self._text
        # From the end, so that the places of earlier edits stay right.
        for begin, end, other in sorted(edits, reverse=True):
            text = text[:begin] + other + text[end:]
        return text.encode("utf-8", "surrogateescape")

    def _word(self, place: int) -> str:
        return self._tokens[place].text if 0 <= place < len(self._tokens) else ""

    def _edit(self, place: int) -> _Draw | None:
        """What draws a change of the equality that begins at this token, if one does."""
        if self._runner == "go":
            return self._other_bound(place) if self._word(place) == "if" else None
        called = self._word(place) in _EQUALITIES and self._word(place + 1) == "("
        return self._other_argument(place + 1) if called else None

    def _other_argument(self, opening: int) -> _Draw | None:
        closing = self._closing(opening)
        commas = [each for each in range(opening, closing) if self._word(each) == "," and self._opened[each] == opening]
        ends = [opening, *commas, closing]
        # A third argument would be the message.
        sides = [range(begin + 1, end) for begin, end in pairwise(ends)][:2]
        literals = [side for side in sides if self._is_literal(side)]
        return self._other_value(literals[0]) if len(sides) == 2 and len(literals) == 1 else None

    def _other_bound(self, place: int) -> _Draw | None:
        """The change of Go's `if got != 4 { t.Fatal() }`."""
        inner = (each for each in range(place + 1, len(self._tokens)) if self._opened[each] == self._opened[place])
        block = next((each for each in inner if self._word(each) == "{"), place)
        unequal = [each for each in range(place, block) if self._word(each) == "!="]
        body = {self._word(each) for each in range(block, self._closing(block))}
        # Behind `&&`, a value that differs does not fail the test by itself.
        if len(unequal) != 1 or not body & _FAILS or "&&" in map(self._word, range(place, block)):
            return None
        side = range(unequal[0] + 1, block)
        return self._other_value(side) if self._is_literal(side) else None

    def _closing(self, opening: int) -> int:
        inner = (each for each in range(opening + 1, len(self._tokens)) if self._opened[each] == opening)
        return next((each for each in inner if self._word(each) in _CLOSING), opening)

    def _is_literal(self, side: range) -> bool:
        tokens = [(self._tokens[each], self._word(each + 1)) for each in side]
        return bool(tokens) and all(
            # A change might land inside an escape sequence or a `${…}`.
            (token.kind == "text" and "${" not in token.text and "\\" not in token.text)
            or token.kind == "number"
            or (token.kind == "word" and (token.text in _LITERAL_WORDS or after == ":"))
            or (token.kind == "mark" and token.text in _LITERAL_MARKS)
            for token, after in tokens
        )

    def _other_value(self, side: range) -> _Draw | None:
        values = [self._tokens[each] for each in side if self._word(each + 1) != ":"]
        tokens = [token for token in values if _another(token, self._runner)]
        literal = " ".join(map(self._word, side))

        def draw(drawn: dict[str, tuple[int, str]]) -> _Change:
            if literal not in drawn:
                place = random.randrange(len(tokens))
                drawn[literal] = place, _another(tokens[place], self._runner)
            place, other = drawn[literal]
            return _Change(tokens[place].begin, tokens[place].begin + len(tokens[place].text), other)

        return draw if tokens else None

    def _start(self, place: int) -> int:
        """The first token of `assert.strict.equal`."""
        while self._word(place - 1) == ".":
            place -= 2
        return place

    def _test(self, place: int) -> str:
        """The name of the test in whose body the statement at this token always runs; empty if there is none."""
        if place < 1:
            return ""
        body, before = self._opened[place], self._tokens[place - 1]
        if before.text == "=>" and body >= 0:
            # An arrow function without braces: its one expression is the whole body.
            return self._called(body)
        # Where semicolons are left out, a new line starts a statement, unless an operator or `if (…)` comes before it.
        own_line = self._tokens[place].after_line and (before.text != ")" or not self._conditional(place - 1))
        own_line = own_line and before.text not in _GOES_ON
        # One in an inner function counts too: better to leave a test unchanged than to expect a failure that cannot
        # come.
        certain = "return" not in map(self._word, range(max(body, 0), place))
        if not certain or self._word(body) != "{" or not (own_line or before.text in ("{", "}", ";")):
            return ""
        return self._function(body) or (self._called(self._opened[body]) if self._word(body - 1) in ("=>", ")") else "")

    def _conditional(self, closing: int) -> bool:
        return self._word(self._opened[closing] - 1) in ("if", "for", "while", "with", "await")

    def _called(self, opening: int) -> str:
        """The title in `test('title', …`."""
        title = self._tokens[opening + 1] if self._word(opening) == "(" else None
        known = self._word(opening - 1) in ("test", "it") and self._word(opening - 2) != "."
        return title.text[1:-1] if known and title and title.kind == "text" and self._word(opening + 2) == "," else ""

    def _function(self, body: int) -> str:
        """The name in `#[test] fn name() {` or `func TestName(t *testing.T) {`."""
        head = [self._word(each) for each in range(body - 9, body)]
        if self._opened[body] >= 0:
            return ""
        # Another attribute before it, such as `#[should_panic]`, may turn the outcome around.
        if head[1:4] == ["#", "[", "test"] and head[5] == "fn" and head[0] != "]":
            return head[6]
        return head[1] if head[0] == "func" and head[6:] == [".", "T", ")"] and head[1].startswith("Test") else ""


def _tokens(text: str, pattern: re.Pattern[str]) -> Iterator[Token]:
    after_line = True
    for match in pattern.finditer(text):
        if match.lastgroup == "space":
            after_line = after_line or "\n" in match[0]
        else:
            yield Token(str(match.lastgroup), match[0], match.start(), after_line)
            after_line = False


def _enclosing(tokens: Sequence[Token]) -> Iterator[int]:
    """For each token the place of the bracket that it is in, or that it closes; -1 outside all of them."""
    open_brackets: list[int] = []
    for place, token in enumerate(tokens):
        yield open_brackets[-1] if open_brackets else -1
        if token.kind == "mark" and token.text in "([{":
            open_brackets.append(place)
        elif token.kind == "mark" and token.text in _CLOSING and open_brackets:
            open_brackets.pop()


def _another(token: Token, runner: str) -> str:
    """Another value than that of a literal; empty if there is none. Where numbers have types, a smaller one fits."""
    if token.kind == "text":
        return token.text[0] + another_text(token.text[1:-1]) + token.text[-1]
    if token.kind == "number" and runner == "node":
        return another_number(token.text)
    if token.kind == "number":
        whole, point, rest = token.text.partition(".")
        return f"{random.randrange(int(whole)) if int(whole) else 1}{point}{rest}"
    return _OPPOSITES.get(token.text, "")
