"""What a text claims: its sentences without those that deny or only ask."""

from __future__ import annotations

import re

OPENING = 2
"""Sentences, the title among them, of which one that denies takes back the whole finding."""
BARE = 24
"""Letters of a sentence up to which it says nothing besides its denial."""
# A full stop ends a sentence after two letters or a closing mark, so not in `e.g.` or `3.`.
_SENTENCE_END = re.compile(
    r"(?<=[^\W\d]{2}[.!])\s+|(?<=[)\]`\"'’”][.!])\s+|(?<=\?)\s+|(?<=[。！？])|\n|(?<=[^|\s])\s*\|\s*(?=[^|\s])"
)
_QUESTION = re.compile(r"[?？][\s\"'”’)*_`]*$|(?:でしょうか|ますか|ですか|のだろうか|ないか)[。.]?\s*$")
_INQUIRES = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|can|could|may|might|should|would|has|have|what|why|how|who|where) ",
    re.IGNORECASE,
)
_WONDERS = re.compile(r"^\W*(?:i wonder|one (?:may|might) (?:ask|wonder)|who knows)\b", re.IGNORECASE)
# These nouns alone make `there is no …` a denial: `There is no rate limit.` is a finding.
_FAULT = r"(?:such |real |actual |serious )?(?:problem|issue|concern|defect|bug|fault)s?"
_THESE = rf"(?:this|these|the following|(?:any |such an? )?{_FAULT})"
_CLAIM = r"(?:say|claim|believe|think|conclude|assume|argue|suppose|worry)"
_DENIAL = re.compile(
    r"\b(?:(?:it|this|that|which) (?:is|was)|it's|that's) (?:simply |just )?(?:not|never|hardly|by no means)"
    r" (?:really |actually |at all )?(?:the case|true|so that|correct|right|accurate|a fact)\b"
    r"|\b(?:it|this|that|which) (?:isn't|wasn't) (?:the case|true|correct|right|accurate|a fact|so)\b"
    r"|\b(?:is|are|was|it's|be) (?:simply |just )?(?:false|untrue|wrong|incorrect|mistaken|a mistake|a myth)"
    rf" (?:that|to {_CLAIM})\b"
    r"|\b(?:no|hardly any) (?:one|body|reviewer|reader|auditor|engineer)s? (?:can|could|should|would|will|must)"
    rf" {_CLAIM}\b|\bno reason to {_CLAIM} that\b"
    rf"|\b(?:does not|do not|did not|doesn't|don't) (?:suffer from|have) {_THESE}\b"
    rf"|\b(?:is|are) free (?:of|from) {_THESE}\b"
    r"|\b(?:the following|none of (?:this|it|these|the following)|nothing of this|all of this) (?:is|are)"
    rf" (?:not )?(?:false|untrue|true|wrong|the case|(?:an? )?{_FAULT})\b"
    rf"|\bthere (?:is|are) (?:absolutely |really )?(?:no|not any) {_FAULT}\b"
    rf"|\bno {_FAULT} (?:was|were|is|are|could be) (?:found|seen|here|detected)\b"
    r"|\b(?:i|we) (?:do not|don't|did not|didn't|cannot|can't) (?:think|believe|see|claim|say|find)"
    rf" (?:that|any {_FAULT})\b"
    rf"|\bnobody (?:can|could|should|would|will) {_CLAIM}\b|\b(?:i|we) (?:deny|doubt|rule out|disagree) that\b"
    rf"|\b(?:is|are) not (?:a|an|any) {_FAULT}\b|^[\W\d]*(?:not|no) (?:a |an |any )?{_FAULT}\W*$"
    r"|\bit is not that\b|\bfar from (?:the truth|true)\b|\bcontrary to (?:fact|the truth)\b"
    r"|(?:という|と言う)?(?:こと|わけ|訳|の)で?は(?:ない|ありません)[。.]?\s*$"
    r"|問題(?:は|が|も)?(?:特に)?(?:ない|ありません|なし|見当たら)|(?:事実|正しく|真実)(?:では|は)?(?:ない|ありません)",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(r"(?:という|と言う)(?:こと|わけ|訳|事実|の)(?:で)?は(?:ない|ありません)[。.]?\s*$")


def sentences(text: str) -> list[str]:
    """The sentences, lines and table cells of a text."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]


def claimed(text: str) -> str:
    """What a text claims; empty if it denies it all, or mainly asks."""
    parts = sentences(text)
    if parts and _QUESTION.search(parts[-1]) and _INQUIRES.match(parts[0]):
        return ""  # one long question
    opening = [part for place, part in enumerate(parts[:OPENING]) if place == 0 or not _asks(part)]
    if any(map(_DENIAL.search, opening)) or (parts and _is_bare_denial(parts[-1])):
        return ""  # what follows only elaborates on what it denies, and a bare denial at the end takes all back
    stated = [part for part in parts if not _asks(part)]
    if 2 * len(stated) < len(parts):
        return ""  # mostly questions
    return "\n".join(part for part in stated if not _DENIAL.search(part))


def _is_bare_denial(sentence: str) -> bool:
    if _TAKEN_BACK.search(sentence):
        return True
    bare = sum(map(str.isalnum, sentence)) <= BARE and not _asks(sentence)
    return bare and _DENIAL.search(sentence) is not None


def _asks(sentence: str) -> bool:
    return _QUESTION.search(sentence) is not None or _WONDERS.match(sentence) is not None
