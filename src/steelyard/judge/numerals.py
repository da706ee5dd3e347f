"""Numbers in words as figures: `zero point nine`, `nine tenths`, `nine out of ten`, `ninety percent`. Pure.

Powers of ten are read, too, and other words for yes and no (`pass`, `off`, `ja`).

A word alone is read as a number only where an object or a list would have one, between two marks: `"accuracy": "one",`.
In prose it is a word ("one of the queues"). English as far as a hundred; German, French, Spanish and Italian to ten.
"""

from __future__ import annotations

import re

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ELSEWHERE = (
    "null eins zwei drei vier funf sechs sieben acht neun zehn",
    "zero un deux trois quatre cinq six sept huit neuf dix",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez",
    "zero uno due tre quattro cinque sei sette otto nove dieci",
)
_NUMBERS = {
    **{word: value for words in _ELSEWHERE for value, word in enumerate(words.split())},
    **{word: value for value, word in enumerate(_UNITS.split())},
    **{word: 10 * value for value, word in enumerate(_TENS.split(), 2)},
    "hundred": 100,
}
_PARTS = {
    **{"half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7},
    **{"eighth": 8, "ninth": 9, "tenth": 10, "twentieth": 20, "hundredth": 100},
}
_ANY = "|".join(_NUMBERS)
_ONE = rf"(?:(?:a|one) )?(?:(?:{_TENS.replace(' ', '|')})[ -](?:{'|'.join(_UNITS.split()[1:10])})|(?:{_ANY}))"
_DECIMAL = re.compile(
    rf"(?:\b({_ONE}) )?\b(?:point|dot|komma|comma|virgule|coma|punto|virgola)((?: (?:{_ANY})\b){{1,6}})"
)
_PART = re.compile(rf"\b({_ONE}|a|an)[ -]({'|'.join(_PARTS)})s?\b")
_SHARE = re.compile(rf"\b({_ONE})(\s?(?:/|(?:out )?of|sur|von|su|de)\s?)({_ONE})\b")
_PERCENT = re.compile(rf"\b({_ONE}|\d+(?:\.\d+)?)\s?(?:per ?cent|pct|prozent|pour cent|por ciento|per cento|%)")
_ALONE = re.compile(rf"(?<=[:=\"'`\[({{|,>])(\s*)({_ONE})(?=\s*(?:[,;.}}\])|<\"'`\n]|$))")
_POWER = re.compile(r"(\d+(?:\.\d+)?)\s?[×x*·]\s?10\s?(?:\^|\*\*)\s?[({]?(-?\d)[)}]?")
_FIELD_END = r"(?=\s*(?:[,;.}\])|<\"'`\n]|$))"
_YES = re.compile(rf"(?<=[:=\"'`|,>])(\s*)(?:y|t|on|ok|okay|ja|oui|si|pass(?:ed)?|👍|#t|!0){_FIELD_END}")
_NO = re.compile(rf"(?<=[:=\"'`|,>])(\s*)(?:n|f|off|not ok|nein|non|fail(?:ed)?|👎|#f|!1){_FIELD_END}")
"""Other words for yes and no, where an object or a list would have a value."""
_PERMILLE = re.compile(r"(\d+)\s?(?:‰|per mille\b)")
_OVER = re.compile(r"(?<=\d)\s?(?:÷|over)\s?(?=\d)|(?<=\d)\}\{(?=\d+\})")
"""Other signs of division, the one in LaTeX among them."""
_STARS = re.compile("(★+)(☆*)")
_SIGNS = str.maketrans({"\u2044": "/", "\u066b": "."})
_RAISED_POINT = re.compile(r"(?<=\d)·(?=\d)")


def numerals(text: str) -> str:
    """A text in lower case and without accents, with its numbers in figures."""
    text = _PERMILLE.sub(r"\1/1000", _RAISED_POINT.sub(".", text.translate(_SIGNS)))
    text = _STARS.sub(lambda stars: f" {len(stars[1])}/{len(stars[0])} ", _OVER.sub("/", text))
    text = _NO.sub(r"\1false", _YES.sub(r"\1true", _POWER.sub(r"\1e\2", text)))
    text = _DECIMAL.sub(lambda found: f"{_figure(found[1] or 'zero')}.{_digits(found[2])}", text)
    text = _PART.sub(lambda found: f"{_figure(found[1])}/{_PARTS[found[2]]}", text)
    text = _SHARE.sub(lambda found: f"{_figure(found[1])}/{_figure(found[3])}", text)
    text = _PERCENT.sub(lambda found: f"{_figure(found[1])}%", text)
    return _ALONE.sub(lambda found: found[1] + _figure(found[2]), text)


def _digits(words: str) -> str:
    """The figures behind a decimal point: `eight five`, `eighty five` and `eighty-five` are 85."""
    values = [_NUMBERS[word] for word in words.split()]
    tens = len(values) == 2 and values[0] % 10 == 0 and 0 < values[1] < 10 <= values[0]
    return str(sum(values)) if tens else "".join(map(str, values))


def _figure(words: str) -> str:
    if words[:1].isdigit():
        return words
    parts = words.replace("-", " ").split()
    if parts[0] in ("a", "an") or (parts[0] == "one" and len(parts) > 1):
        parts = parts[1:] or ["one"]
    return str(sum(_NUMBERS[part] for part in parts))
