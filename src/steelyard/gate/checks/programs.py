"""Which programs a command needs, from its text. Pure.

What a sandbox lacks is nobody's failure, so every program without which a check cannot pass is looked for before
anything of the agent is unpacked. A name without a slash is looked up in PATH, where nothing of the agent is. Where the
text is not plain (alternatives, conditions, another PATH, programs that are tried out first), only the first program is
certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from steelyard.sandbox.jail import WORK

SHELL = ("/bin/sh", "-c")
"""How a command that is written as one string is started."""
_SHELLS = ("sh", "bash", "dash")
_PROGRAM = re.compile(r"[A-Za-z_][\w.+-]*|/[\w./+-]+")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_SPLIT = re.compile(r"-v?S(.*)|--split-string(?:=(?=.))?(.*)", re.DOTALL)
"""The option of `env` whose value is a command in one word, or several of them."""
_OWN_PATH = "PATH="
_NOT_PLAIN = re.compile(
    r"\|\||\\|`|<<|PATH|command -v|(?:^|[;&|\n])\s*\.\s"
    r"|\b(?:if|case|source|eval|alias|which|type|hash|function|trap)\b"
)
_GIVES_UP = re.compile(r"\|\|\s*(?:false|(?:exit|return)(?:[ \t]+[1-9]\d*)?(?![ \t]*\d))\b")
"""An alternative that is none: the check fails there."""
_NOT_CODE = re.compile(r"\\\n|\$?\(\([^\n]*?\)\)|(?:^|(?<=\s))#[^'\"\n]*$", re.MULTILINE)
"""Continued lines, arithmetic, and comments."""
_WORD = r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s;&|()<>'"\\])+"""
_TOKEN = re.compile(rf"[ \t]*(\n|&&|\|\||;;|\(\(|\)\)|[;&|()]|[<>]+&?|{_WORD})", re.DOTALL)
_PIECE = re.compile(r"""'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)|([^'"\\]+)""", re.DOTALL)
_SUBSTITUTED = re.compile(r"\$\(([^()]*)\)|`([^`]*)`")
_OPERATORS = frozenset({"&&", "||", ";", "|", "&", "(", ")", "\n"})
_PREFIXES = frozenset({"!", "{", "if", "then", "else", "elif", "while", "until", "do", "exec", "time", "-p", "command"})
_WRAPPERS = {
    "env": ("-u", "-C"),
    "nice": ("-n",),
    "nohup": (),
    "timeout": ("-k", "-s"),
    "stdbuf": ("-i", "-o", "-e"),
    "setsid": (),
    "xargs": ("-a", "-d", "-E", "-I", "-L", "-n", "-P", "-s"),
}
"""Programs that start another one → their options that take a value."""
_EXEC = ("-exec", "-execdir")
"""Options of `find` after which a command follows."""
_WITHOUT_PROGRAM = frozenset(
    {
        *("for", "case", "fi", "done", "esac", "in", "shopt", "declare", "local", "let", "typeset"),
        *("pushd", "popd", "mapfile", "readarray", "disown", "builtin"),
    }
)
"""Words of shells that are not followed by a program, and words of bash that the shell here does not know."""
_MODULES = frozenset(
    {
        *("bandit", "black", "build", "coverage", "flake8", "isort", "mypy"),
        *("nox", "pip", "pylint", "pyright", "pytest", "ruff", "tox"),
    }
)
"""Tools that `python -m` starts, and that no agent is asked to write."""


class Need(NamedTuple):
    """Something that the sandbox must have."""

    program: str
    module: str = ""
    """A module of the program, which is then a Python."""

    def __str__(self) -> str:
        return f"{self.program} -m {self.module}" if self.module else self.program


def needs_of(run: Sequence[str]) -> tuple[Need, ...]:
    """What the command cannot pass without and the agent does not write."""
    return tuple(dict.fromkeys(_needs(list(run))))


def _needs(words: Sequence[str]) -> Iterator[Need]:
    """The needs of a command of separate words."""
    name, *rest = words
    # A program in the work folder is for the agent to write.
    if "/" in name and (not name.startswith("/") or name.startswith(f"{WORK}/")):
        return
    yield Need(name)
    known = name.removeprefix("/usr").removeprefix("/bin/")
    if known in _SHELLS:
        yield from _of_text(_script(rest))
    elif known == "find":
        for place in (place for place, word in enumerate(rest[:-1]) if word in _EXEC):
            yield from _inner(rest[place + 1 :])
    elif known in _WRAPPERS:
        yield from _inner(_wrapped(rest, _WRAPPERS[known]))
    elif known.rstrip("0123456789.") == "python" and (module := _module(rest)):
        yield Need(name, module)


def _inner(words: Sequence[str]) -> Iterator[Need]:
    """The needs of a command that another one starts, unless its name is a variable or the like."""
    return _needs(words) if words and _PROGRAM.fullmatch(words[0]) else iter(())


def _script(words: Sequence[str]) -> str:
    """What a shell with these arguments is told to run; empty if it is a file."""
    left = iter(words)
    for word in left:
        # `-c`, also at the end of a bundle such as `-lc` or `-euxc`.
        if word.startswith("-") and word.endswith("c") and word[1:].isalpha() and word.islower():
            return next(left, "")
        if not word.startswith(("-", "+")):
            return ""
        if word.endswith("o") and not word.startswith("--"):  # `-o pipefail`
            next(left, None)
    return ""


def _module(words: Sequence[str]) -> str:
    """The well-known tool that a Python with these arguments starts; empty if it is anything else."""
    left = iter(words)
    for word in left:
        if word == "-m":
            module = next(left, "")
            return module if module in _MODULES else ""
        if not word.startswith("-") or word == "-c":
            return ""
        if word in ("-W", "-X"):
            next(left, None)
    return ""


def _wrapped(words: Sequence[str], with_value: Sequence[str]) -> list[str]:
    """The command in the arguments of a program that starts another one; nothing if its options are not simple."""
    left = list(words)
    while left:
        word = left.pop(0)
        if split := _SPLIT.fullmatch(word):
            text = split[1] or split[2] or (left.pop(0) if left else "")
            left = [*text.split(), *left]
        # With another PATH, or a long option that may take the next word as its value, it is not certain what starts.
        elif word.startswith(_OWN_PATH) or (word.startswith("--") and "=" not in word):
            return []
        elif word in with_value:
            del left[:1]
        # Assignments (`env A=1`) and durations (`timeout 5s`) stand before the command, too.
        elif not (word.startswith("-") or _ASSIGNMENT.match(word) or word.rstrip("smhd").replace(".", "").isdecimal()):
            return [word, *left]
    return []


def _of_text(text: str) -> Iterator[Need]:
    """The needs of a text for the shell."""
    text = _NOT_CODE.sub("", text)
    tokens = _TOKEN.findall(text)
    unread = _TOKEN.sub("", text).strip()  # such as a quotation mark that is never closed
    function = ("(", ")") in pairwise(tokens)
    if unread or function or (tokens[:1] and tokens[0].startswith(_OWN_PATH)):
        return
    plain = not _NOT_PLAIN.search(_GIVES_UP.sub("", text))
    for place, command in enumerate(_commands(tokens)):
        # After the first command, nothing is certain any more.
        if place and not plain:
            return
        words = list(map(_unquoted, command))
        if words and (_PROGRAM.fullmatch(words[0]) or (place == 0 and " " in words[0])):
            yield from _needs(words)
        for inner in (inner for word in command for inner in _substituted(word)):
            yield from _of_text(inner)
    # `version=$(tool --version)` runs a program too, although it is only an assignment.
    for inner in (inner for token in tokens if _ASSIGNMENT.match(token) and plain for inner in _substituted(token)):
        yield from _of_text(inner)


def _unquoted(word: str) -> str:
    return "".join("".join(pieces) for pieces in _PIECE.findall(word))


def _substituted(word: str) -> Iterator[str]:
    """The commands whose output is part of a word in double quotes."""
    for _, quoted, _, _ in _PIECE.findall(word):
        yield from ("".join(found) for found in _SUBSTITUTED.findall(quoted))


def _commands(tokens: Sequence[str]) -> Iterator[list[str]]:
    """The simple commands in a text, each without assignments and words of the shell before it."""
    command: list[str] = []
    for token in [*tokens, ";"]:
        if token in _OPERATORS:
            yield [] if command and command[0] in _WITHOUT_PROGRAM else command
            command = []
        elif command or not (token in _PREFIXES or _ASSIGNMENT.match(token)):
            command.append(token)
