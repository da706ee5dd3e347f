"""Reads the letters from a reply as models write them (docs/scoring.md §1.3).

    letters = the last line with a label, else `\\boxed{…}`, else "the answer is …", else a reply that is only letters,
              else the last sentence that names a choice, if it concludes (`conclusion`)

A label begins its line (`**Final answer:**`, `"answer":`, `<answer>`, `Antwort:`); `ANSWER:`, as the prompt asks for,
may stand anywhere. Reasoning before the reply (`<think>…</think>`) is no part of it. After the label come the letters,
in any markup (`"B"`, `**B**`, `[A, C]`), with their texts (`B) Use S3`) or with a reason (`B because …`). A reply that
leaves the choice open (`A or B`, `B (maybe C)`, two sentences that disagree), takes it back (`B is wrong`), names a
letter that is not a choice, or begins with an article (`A bucket policy`) has no readable letters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from steelyard.bench.practice_exam.conclusion import another, conclusions, taken_back
from steelyard.text import normalised, without_thought

_ADJECTIVE = (
    r"final|correct|right|best|richtige|korrekte|endgültige|bonne|mejor|melhor|juiste"
    r"|correct[aeo]s?|correctes?|corrett?[aeo]s?"
)
_ANSWER = (
    r"(?:(?:the|my|die|la|le|les|las|mi|a|il|het)\s+)?"
    rf"(?:(?:{_ADJECTIVE})\s+)?"
    r"(?:answers?|letters?|antworten|antwort|lösung|respuestas?|réponses?|respostas?|rispost[ae]|antwoord)"
    rf"(?:\s+(?:{_ADJECTIVE}|finale?))?"
    r"|(?:最終|最终|正确)?(?:的)?(?:答案|答え|回答|解答|正解|정답|답)"
)
_IS = r"\s+(?:is|are|ist|sind|es|son|est|sont|é|è|são|sono)\b|\s*[は是为]"
_LABEL = re.compile(
    rf"^(?:[^\w\n/]|_)*(?:\d[.)]\s*)?(?:(?:so|therefore|thus|hence),?\s+)?(?:{_ANSWER})"
    rf"(?:(?:{_IS})?[\s*_`\"']*(?:[:=→|]|\s[-–—]+>?\s)|>|[ \t*_]*\n+(?=[^\w\n]*[A-Z](?!\w)))[\s*_`]*"
    r"|\"(?:final_?)?answers?\"\s*:\s*|(?<!\w)(?-i:ANSWER)[\s*_`]*:[\s*_`]*",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE = re.compile(
    rf"(?<!\w)(?:{_ANSWER}|(?:correct|right|best)\s+(?:option|choice|one)s?)(?:{_IS})[\s*_`:]*", re.IGNORECASE
)
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_MARKUP = re.compile(
    r"<\|[^|\n]*\|>|</\w+>|<\w{2,}>|\\(?:boxed|text(?:bf)?|math(?:rm|bf))\b|\\[()\[\]]|\\(?=\W)|[*_`\"'“”‘’«»$\[\]{}<>]"
)
_LEAD = re.compile(
    r"(?:(?:both|only|options?|choices?|letters?|answers?|the|it\s+is|is|are|letras?|lettres?|buchstaben?)\s+)*",
    re.IGNORECASE,
)
# A letter on its own, not the start of a word, of `B2` or of `I'm`.
_LETTER = re.compile(r"\(?([A-Za-z])\)?(?![A-Za-zÀ-ɏ\d_'])")
_RUN = re.compile(r"([A-Za-z]{2,10})(?!\w)")
_AND = r"(?:and|und|et|y|en|plus|as\s+well\s+as)\b|[和与及と]"
_SEPARATOR = re.compile(
    rf"[ \t]*(?:,\s*(?:{_AND})|,\s*&|[,;/&+|、]|(?:{_AND}))[ \t]*"
    r"(?:(?:options?|choices?)\s+)?(?=\(?[A-Za-z]\)?(?![A-Za-zÀ-ɏ\d_']))",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^[ \t]*(?:[-•]|\d[.)])[ \t]*(?=\(?[A-Z]\b)", re.MULTILINE)
# Letters with only blanks between them: capitals (unless `A` is an article), or small ones up to the end of the line.
_SPACE = re.compile(r"[ \t]+(?!A [a-z])(?=(?:\([A-Z]\)|[A-Z])(?:[\s,.;:)]|$))|[ \t]+(?=[a-z](?: [a-z])*(?:\n|$))")
_REMARK = re.compile(r"[ \t]*\([^()\n]{2,80}\)")
# Leaves the choice open or takes it back: a question mark, `or B`, `maybe`, another letter on its own, `is wrong`.
_OPEN = re.compile(
    r"^\s*\?|^\W*(?i:or|oder|ou|maybe|perhaps|possibly|vs|versus|alternatively|if|unless|except)\b"
    r"|\b(?i:or|oder|ou|maybe|perhaps|possibly|alternatively|rather|wait)\W+(?i:option\s+|choice\s+)?[A-Z]\b"
    r"|^\W*(?i:and|also|with|then|but|as\s+well\s+as)?\W*\b[A-Z]\b(?=\s*(?:$|[.,;:)|]|also\b))"
    r"|\b(?i:but)\s+[A-Z]\s+(?i:if|also|could|might|may)\b"
    r"|^\s*(?i:(?:is|are|was)(?:\s+not|n'?t)|(?:is|are|was)\s+(?:wrong|incorrect|false))\b"
)
_OTHERS = re.compile(
    r"(?<=[\w.;:—–-] )[A-Z],? or [A-Z](?= \w)|\b(?i:not|than|neither)\s+[A-Z](?:,? (?:or|and|nor) [A-Z])?\b"
)
"""Choices that a reason speaks about, not ones that a reply leaves open."""
# May safely follow the letters: a word that begins a reason, punctuation, another script, or nothing.
_REASON = re.compile(
    r"(?:because|since|as|is|are|due|for|given|which|that|only|alone|rather|would|meets|satisfies|provides)\b"
    r"|(?![|~/&+\\])\W|[^\x00-ɏ]|$",
    re.IGNORECASE,
)
_LISTED = re.compile(r"(?:^|[\n,;])\s*(?:and\s+)?\(?([A-Z])\s*[).:\-–—]\s*(?=\S)")
_LINE = re.compile(r"\(?([A-Z])\)?(?:\s*[).:\-–—]\s*(?!.*\b(?:wrong|incorrect|not)\b)\S.*)?")

_LONGEST = 4_000
"""Characters after a label that are looked at."""


def read_letters(reply: str, choices: Sequence[str], *, several: bool) -> frozenset[str]:
    """The letters of a reply; empty if nothing in it is given as the answer, or if it cannot be read."""
    allowed = {chr(ord("A") + place): choice for place, choice in enumerate(choices)}
    read = _several if several else _single
    plain = normalised(without_thought(reply)).text
    # The last label counts: models repeat the instruction first, or correct themselves.
    if labels := list(_LABEL.finditer(plain)):
        end = labels[-1].end()
        again = _SENTENCE.match(plain, end)  # `Final answer: the answer is B`
        return read(_unmarked(plain[again.end() if again else end :]), allowed)
    if boxed := _BOXED.findall(plain):
        return read(_unmarked(", ".join(boxed)), allowed)
    stated = [at for at in _SENTENCE.finditer(plain) if not taken_back(plain[: at.start()])]
    # Sentences that disagree leave the choice open.
    if sentences := [read(_unmarked(plain[at.end() :]), allowed) for at in stated]:
        return sentences[-1] if len({letters for letters in sentences if letters}) == 1 else frozenset()
    bare = _unmarked(plain)
    if _nothing_but_letters(bare, allowed) or (several and _run_of(bare, allowed)):
        return read(bare, allowed)
    return _last_word(_MARKUP.sub(_apostrophe, plain[-_LONGEST:]).strip(), allowed, several=several)


def _apostrophe(mark: re.Match[str]) -> str:
    """Markup goes, but for the apostrophe in a word (`It's B`)."""
    return "'" if mark[0] in "'’" else ""


def _last_word(text: str, allowed: dict[str, str], *, several: bool) -> frozenset[str]:
    """The letters of a conclusion; where several are asked for, a sentence about one is no whole answer."""
    found = conclusions(text, allowed.keys(), _leading)
    if not found:
        return frozenset()
    letters, rest = found[-1]
    if any(set(other) != set(letters) for other, _ in found):
        return frozenset()
    others = re.search(r"\bA\b(?! [a-z])|\b[B-Z]\b", rest)
    if not set(letters) <= allowed.keys() or (len(set(letters)) > 1) is not several or others:
        return frozenset()
    return frozenset(letters) if _closed(letters[-1], rest, allowed) else frozenset()


def _unmarked(text: str) -> str:
    return _BULLET.sub("", _MARKUP.sub("", text[:_LONGEST]).strip())


def _nothing_but_letters(text: str, allowed: dict[str, str]) -> bool:
    letters, rest = _leading(text)
    own = "\n" not in text and len(letters) == 1 and _starts_with(rest, allowed.get(letters[0], ""))
    explained = rest.lstrip(" ,").startswith(("because ", "since "))
    return own or (bool(letters) and explained) or not rest.strip(" .\n") or bool(_lines(text, allowed))


def _run_of(text: str, allowed: dict[str, str]) -> bool:
    """`AC`: capital letters without anything between them, none of them twice."""
    return 1 < len(text) == len(set(text)) and set(text) <= allowed.keys()


def _single(text: str, allowed: dict[str, str]) -> frozenset[str]:
    letters, rest = _leading(text)
    if len(set(letters)) != 1 or letters[0] not in allowed or not _closed(letters[-1], rest, allowed):
        return frozenset()
    # Several lines with a letter each are several choices, but only one was asked for.
    return frozenset() if len(_lines(text, allowed)) > 1 else frozenset(letters)


def _several(text: str, allowed: dict[str, str]) -> frozenset[str]:
    if listed := _with_texts(text, allowed) or _lines(text, allowed):
        return listed
    letters, rest = _leading(text)
    if not letters:
        # Letters without anything between them, such as `AC`.
        run = _RUN.match(text)
        letters, rest = (list(run[1].upper()), text[run.end() :]) if run else ([], text)
    if not letters or not set(letters) <= allowed.keys() or not _closed(letters[-1], rest, allowed):
        return frozenset()
    return frozenset(letters)


def _leading(text: str) -> tuple[list[str], str]:
    """The letters at the beginning of a text, and what follows them."""
    position = lead.end() if (lead := _LEAD.match(text)) else 0
    letters: list[str] = []
    while (letter := _LETTER.match(text, position)) is not None:
        letters.append(letter[1].upper())
        position = letter.end()
        remark = _REMARK.match(text, position)
        after = remark.end() if remark and not _OPEN.search(remark[0]) else position
        separator = _SEPARATOR.match(text, after) or _SPACE.match(text, position)
        if separator is None:
            break
        position = separator.end()
    return letters, text[position:]


def _closed(letter: str, rest: str, allowed: dict[str, str]) -> bool:
    """Whether what follows the last letter leaves no doubt that it is a letter and the only choice."""
    line = _OTHERS.sub("others", rest.split("\n", 1)[0])
    if _OPEN.search(line) or another(line):
        return False
    following = line.lstrip()
    if _REASON.match(following) or _starts_with(following, allowed[letter]):
        return True
    # `A` may be an article, so it needs a reason or its own text behind it.
    return letter != "A" and not any(re.search(rf"\b{other}\b(?! [a-z])", following) for other in allowed)


def _lines(text: str, allowed: dict[str, str]) -> frozenset[str]:
    """One letter per line, alone or with a text, in all lines of the first paragraph; empty if it is not that."""
    matches = [_LINE.fullmatch(line.strip()) for line in text.split("\n\n", 1)[0].splitlines()]
    letters = [match[1] for match in matches if match]
    if len(letters) < 2 or len(letters) != len(matches) or not set(letters) <= allowed.keys():
        return frozenset()
    return frozenset(letters)


def _with_texts(text: str, allowed: dict[str, str]) -> frozenset[str]:
    """`A) one, C) two`: only if each letter is followed by its own choice."""
    listed = list(_LISTED.finditer(text))
    letters = [match[1] for match in listed]
    if len(letters) < 2 or not set(letters) <= allowed.keys() or len(set(letters)) != len(letters):
        return frozenset()
    if _OPEN.search(text[listed[0].end() :].split("\n", 1)[0]):
        return frozenset()
    own = all(_starts_with(text[match.end() :], allowed[match[1]]) for match in listed)
    return frozenset(letters) if own else frozenset()


def _starts_with(text: str, choice: str) -> bool:
    words, own = (re.findall(r"\w+", part.lower()) for part in (text, choice))
    # Three words are enough, because models often shorten the text of a choice.
    length = min(3, len(own))
    return length > 0 and words[:length] == own[:length]
