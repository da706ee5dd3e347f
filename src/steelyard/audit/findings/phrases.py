"""The wording that shows what a part of a report is for: a frame around findings, praise, a label, a denial."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

Test: TypeAlias = Callable[[str], bool]
"""Answers yes or no about a title, a line or a sentence."""


def _any(*groups: str) -> str:
    return "(?:" + "|".join(groups) + ")"


_FRAMES = _any(
    "summary|overview|introduction|intro|scope|method(?:ology)?|approach|background|context|conclusions?|verdict",
    "assessment|recommendations?|next steps|action items|priorit(?:y|ies|isation|ization)(?: order| list)?",
    "table of contents|contents|index|legend|statistics|stats|metrics|score(?:s|card)?|about|notes? on method",
    "how i (?:reviewed|read|worked).*|what i (?:reviewed|read|checked)|files? reviewed",
    "severity (?:scale|legend|levels?)",
    r"(?:summary|overview|list|table) of (?:the )?\w+(?: \w+)?",
    "(?:findings?|issues?|risk) (?:summary|overview|table|matrix)",
    "closing|remediation (?:plan|order)|fix order|suggested order.*|disclaimer|limitations|confidence|sign-?off",
)
_FRAME = re.compile(
    r"^(?:\W|\d)*(?:executive |overall |final |quick |brief |my |review(?:er)?(?:'s)? )*"
    rf"{_FRAMES}(?:\s*(?:and|&|/)\s*{_FRAMES})?\W*$"
    r"|^(?:\W|\d)*(?:総評|総合(?:評価|判定|スコア)|まとめ|要約|概要|総括|結論|結語|目次|前提(?:条件)?|実行条件|次のステップ|今後の(?:対応|進め方)"
    r"|(?:評価|採点|レビュー|全体)?の?(?:スコア|サマリー?|結果|概要|対象|範囲|方針|観点|方法)(?:の?(?:サマリー?|一覧|表|まとめ|概要))?"
    r"|推奨(?:事項|対応|アクション)(?:の?(?:まとめ|一覧|優先(?:度|順位)))?|優先(?:度|順位|対応)(?:付け|別?の?\w{0,8})?)\W*$",
    re.IGNORECASE,
)
_FRAME_NOUNS = re.compile(
    r"\b(?:summar(?:y|ies)|overview|conclusions?|recommendations?|prioriti[sz]ation|scor(?:es?|ing|ecard)|metadata|assessment"
    r"|verdict|method(?:ology)?|scope|introduction|background|remarks|roadmap|actions|statistics|metrics|matrix"
    r"|document structure(?: analysis)?|structural analysis)\b",
    re.IGNORECASE,
)
_FRAME_FILLERS = re.compile(
    r"\b(?:an?|the|of|and|by|for|with|per|in|to|on|or|executive|overall|final|key|quick|brief|review(?:er)?|evaluation"
    r"|priorit(?:y|ies|i[sz]ed)|severity|security|performance|reliability|design|architecture|document|structur(?:e|al)"
    r"|analysis|table|list|criteri(?:on|a)|category|risk|recommended|immediate|next|steps|action|items|required|critical"
    r"|important|top|high|medium|low|quality|consistency|system|general|short|long|term|this)\b",
    re.IGNORECASE,
)
"""Words that may stand around those nouns: `Summary of recommended actions by priority`."""
_PRAISES = _any(
    "strengths?|positives?|positive (?:observations?|aspects?|notes?)",
    r"positive (?:\w+ )?(?:observations?|aspects?|notes?|evaluations?|points?|findings?|elements?|highlights?)",
    "評価|良い点|良好な点|優れ(?:た|ている)点|適切な点|評価できる点|強み|長所|問題なし",
    "肯定的な?(?:評価|側面|点)|ポジティブな?(?:評価|側面|点|要素)?",
    "what(?:'s| is| works| went)? (?:good|well|right|fine)",
    "good (?:practices?|points|things)|done well|no issues?(?: found)?|not (?:an )?issues?|non-issues?|ruled out",
    "checked and (?:fine|ok|clean|sound)|looks? (?:good|fine)|things? (?:that are )?(?:fine|ok)|false positives?",
    "well done|verified (?:ok|fine|sound)",
)
_PRAISE = re.compile(rf"^(?:\W|\d)*(?:the |some |also )*{_PRAISES}(?: \w+){{0,3}}\W*$", re.IGNORECASE)
_NEUTRAL = re.compile(
    r"^\W*(?:confirm\w*|verified|checked|notes?|info\w*|確認|評価|参考|情報)(?: (?:items?|points?)|事項|点)?\W*$",
    re.IGNORECASE,
)
"""Titles that say nothing about good or bad, so that a remark in parentheses does: `Confirmed (good points)`."""
# `Strengths and weaknesses` is more than praise.
_BLAME = ("weakness", "concern", "risk", "improve", "wrong", "negative")
_ADJECTIVES = "further|other|more|significant|major|critical|real|obvious|security|serious|blocking|additional"
_NOUNS = (
    r"problems?|issues?|findings?|defects?|bugs?|vulnerabilit\w+|concerns?|errors?|flaws?|to report|found|identified"
)
_AFTER = (
    r"(?: (?:were|was|are|is|have|has|to|found|identified|detected|seen|here|at all|in|with|within|of note|that|or)"
    r"\b[^.!?\n]{0,80})?"
)
"""What may follow the noun of a denial: `no errors in the parser`, but not `no error handling`."""
_DENIAL = re.compile(
    r"^\W*(?:overall,? |in (?:short|summary),? |i |we |the review |this review |after (?:a )?(?:careful )?\w+,? ?)*"
    r"(?:found |see |saw |there (?:are|is|were|was) |have |had |could find |did not find |didn't find |identified )?"
    rf"(?:no|none|nothing|any|zero)\b(?: (?:{_ADJECTIVES}))* ?(?:{_NOUNS})\b{_AFTER}[.!]?\W*$"
    r"|^\W*(?:lgtm|looks good(?: to me)?|n/?a|none|nothing|clean)\W*$",
    re.IGNORECASE,
)
_LONGEST_DENIAL = 600
_VERDICT_WORDS = (
    r"good|solid|sound|fine|clean|clear|well|strong|robust|reasonable|decent|careful|tidy|correct|safe|ok(?:ay)?|ready|"
    r"consistent|thorough|nice|quality|shape|impression|works?|recommend|approved?|as (?:expected|intended|documented)"
)
_ASSURANCE = re.compile(rf"\b(?:{_VERDICT_WORDS}|correctly|safely|properly|carefully|consistently)\b", re.IGNORECASE)
_FAULT = re.compile(
    r"\b(?:no|not|never|nobody|nothing|without|missing|lacks?|lacking|but|however|except|although|though|cannot|can|could|"
    r"may|might|fails?|wrong|only|too|risk\w*|leaks?|twice|still|instead|unless|until|un\w{3,}|in(?:secure|valid|correct))\b"
    r"|n't\b"
    "|ない|なく|なし|ません|欠如|欠落|不足|不備|不明|不十分|不適切|未(?:設計|定義|記載|実装|対応|検討|考慮|指定|規定)|リスク|脆弱|漏洩|危険|懸念"
    "|恐れ|おそれ|可能性|問題|過大|過剰|肥大|遅延|競合|枯渇|平文",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"\b(?:however|but|except|although|though|still|apart from|only|nevertheless)\b"
    "|ただし|しかし|一方で?、|ものの|とはいえ",
    re.IGNORECASE,
)
_PARTLY = re.compile(
    r"\b(?:in|with|within|for|around|regarding)\s+"
    r"(?!(?:(?:this|the|that|your|its)\s+(?:whole\s+|entire\s+)?"
    r"(?:document|definition|code|design|file|text|service|review|system|agent|spec\w*|diff|change)s?\b|it\b|here\b|total\b))",
    re.IGNORECASE,
)
"""A denial about one part of the reviewed text only."""
_ASSESSMENT = frozenset({"assessment", "verdict"})
_LABELS = _any(
    "severity|priority|location|where|file|files|lines?|section|impact|risk|likelihood|recommendation|recommended fix",
    "suggested fix|suggestion|fix|remediation|mitigation|description|details?|evidence|category|type|class",
    "why(?: it matters)?|problem|issue|what|cause|root cause|consequence|example|exploit|attack|scenario|confidence",
    "effort|status|cwe|owasp|reference|references|refs?|proof|rationale|reason|observation|expected|actual|title",
    "summary|note|how|quote|trigger|result|rule|component|owner",
)
_FIELD = re.compile(
    rf"^\s*(?:[-*+•]\s+)?(?:\*\*|__)?{_LABELS}(?: (?:level|rating|score|area|path|number|id))?"
    r"(?:\s*\([^)\n]{0,25}\))?(?:\*\*|__)?\s*:",
    re.IGNORECASE,
)
_LABEL_ALONE = re.compile(rf"^\W*{_LABELS}s?(?: (?:analysis|details|level|rating|steps))?\W*$", re.IGNORECASE)
_STEPS = _any(
    "First|Second|Third|Fourth|Fifth|Sixth|Seventh|Eighth|Ninth|Tenth|Firstly|Secondly|Thirdly|Finally|Lastly",
    "Also|Additionally|Another|Next|Furthermore|Moreover|Separately|One more",
)
_STEP = re.compile(rf"(?<=[.!?])\s+(?={_STEPS}\b)")
_SEVERITY_WORDS = "critical|high|medium|moderate|low|minor|major|severe|blocker|blocking|info(?:rmational)?|warning|nit"
_GATHER = re.compile(
    rf"^(?:\W|\d)*(?:(?:{_SEVERITY_WORDS}|other|additional|further|remaining|key|main|detailed|all|specific|security|"
    r"must|should|could|nice|to|fix|have|severity|priority|and|confirmed|possible|the|code|review|audit|performance|"
    r"significant|reliability|design|architectural|quality|improvement|confirmation|identified|detected|potential|"
    r"important|cross-cutting|global)s?[\s/,&-]*)*"
    r"(?:findings?|issues?|problems?|bugs?|defects?|vulnerabilit(?:y|ies)|observations?|concerns?|details?|results?|"
    r"improvements?|suggestions?|enhancements?|weaknesses|gaps|items|"
    rf"report|review|severity|priority|risks?|nitpicks|{_SEVERITY_WORDS}|have|fix)"
    r"(?:\s(?:table|list|by (?:severity|priority|category)|detection|found|identified|detected))?(?:\W|\d|found)*$"
    r"|^(?:\W|\d)*(?:致命的|重大|重要|深刻|緊急|中程度|中|軽微|高|低|主要|詳細|その他|個別|設計上|セキュリティ上?|性能上?)*(?:度|優先度)?[なの]?"
    r"(?:(?:検出|発見|特定)(?:された|した)?)?(?:問題点?|指摘(?:事項)?|課題|懸念(?:事項|点)?|改善(?:提案|点|案|事項)|確認事項|リスク"
    r"|脆弱性|欠陥|不備|検出結果|重大|軽微)(?:の?(?:一覧|リスト|詳細))?\W*$",
    re.IGNORECASE,
)
_REMARK = re.compile(r"[\s*_]*(?:\([^()]{0,120}\)|\[[^\[\]]{0,120}\])$")
# On a longer line, patterns with nested repetitions could take hours.
_LONGEST_TITLE = 400
_NUMBERED = re.compile(
    r"^\W*(?:(?:finding|issue|problem|bug|vulnerability|item|no)\.?\s*)?[#]?(?:[A-Za-z]{1,5}-?)?\d{1,3}\s*[\].:)–—-]",
    re.IGNORECASE,
)
# `Overall, the code is in good shape.` only opens; `Overall, the API has no authentication.` is a finding.
_OPENING = re.compile(
    r"^\W*(?:(?:i|we)(?:'ve| have)? "
    r"(?:checked|reviewed|read|looked|went|followed|examined|compared|walked|analy[sz]ed)\b"
    r"|(?:this|my|the) (?:review|report|audit|analysis) (?:covers|is|was|looks|focuses|lists)\b"
    r"|(?:below|here) (?:are|is)\b|review (?:done|complete)|in total\b"
    rf"|the following (?:(?:\w+ ){{0,3}}(?:{_NOUNS}|points|items|list|sections?|table|risks?)|are|is|was|were)\b"
    rf"|(?:overall|in (?:short|summary)),? (?=[^\n]{{0,300}}\b(?:{_NOUNS}|{_VERDICT_WORDS})\b)"
    r"|let me know|happy to|hope this|please |these (?:issues|problems|findings|points)\b|all of (?:these|the above)\b"
    r"|(?:i|we)(?:'d| would)? (?:recommend|suggest) (?:fixing|addressing|starting)\b"
    r"|fix(?:ing)? (?:the first|items|these)\b)",
    re.IGNORECASE,
)
_COLUMNS = ("issue", "title", "finding", "problem", "defect", "bug", "vulnerability", "description", "what", "risk")

# `I reviewed it all and found that …` goes on to a finding.
_REPORTED = re.compile(
    r"\b(?:found|noticed|discovered|saw|see|noted|observed|concluded?|believe) that\b", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])")


def _begins_with(pattern: re.Pattern[str]) -> Test:
    return lambda text: pattern.match(text) is not None


@lru_cache(maxsize=4096)
def is_frame(title: str) -> bool:
    """Whether a section with this title only frames the report: summary, scope, method."""
    bare = _bare(title)
    if _FRAME.match(bare):
        return True
    rest = _FRAME_NOUNS.sub("", bare)
    return rest != bare and not re.search(r"[^\W\d_]", _FRAME_FILLERS.sub("", rest))


@lru_cache(maxsize=4096)
def is_group(title: str) -> bool:
    """Whether a section with this title holds several findings: `Critical issues`, `重大な問題`."""
    bare = _bare(title)
    return _GATHER.match(bare) is not None


def _bare(title: str) -> str:
    """A title without remarks in parentheses at its end: `Critical issues (must be fixed)`."""
    bare = title.strip(" *_:")[:_LONGEST_TITLE]
    for _ in range(2):
        bare = _REMARK.sub("", bare).rstrip(" *_:") or bare
    return bare


is_numbered: Test = _begins_with(_NUMBERED)
"""Whether a title belongs to a numbered series of findings: `3. …`, `Finding 3: …`, `[SEC-03] …`."""

is_field: Test = _begins_with(_FIELD)
"""Whether a line is a labelled part of a finding (`Severity: high`), not a finding of its own."""

is_label: Test = _begins_with(_LABEL_ALONE)
"""Whether a heading only labels a part of a finding: `Impact`, `Recommended fix`."""

_PART_NOUN = re.compile(
    r"^\W*(?:finding|issue|problem|defect|(?:observation|concern|risk|gap|detail|suggestion|improvement)s?|weaknesses|問題点?|指摘(?:内容|事項)?|課題|懸念(?:点|事項)?|リスク)\W*$",
    re.IGNORECASE,
)
is_part_noun: Test = _begins_with(_PART_NOUN)
"""Whether a title is a bare noun: in bold below several headings it labels what each of them found."""


def is_finding_column(name: str) -> bool:
    """Whether a table column with this name holds the subject of a row."""
    return re.sub(r"^\W+|\W+$", "", name).lower() in _COLUMNS


def is_assessment(title: str) -> bool:
    """Whether a section with this title gives a verdict, in a word or point by point."""
    return not _ASSESSMENT.isdisjoint(re.split(r"\W+", title.lower()))


@lru_cache(maxsize=4096)
def is_praise(title: str) -> bool:
    """Whether a section with this title lists what is not wrong: `Strengths`, `Confirmed (good points)`."""
    bare = title.strip(" *_:")[:_LONGEST_TITLE]
    remark = _REMARK.search(bare)
    # In `Minor issues (and good points)` the issues are real.
    named = remark is not None and _NEUTRAL.match(bare[: remark.start()]) is not None
    names = (title, remark[0].strip(" *_()[]")) if remark is not None and named else (title,)
    return any(map(_PRAISE.match, names)) and not any(word in title.lower() for word in _BLAME)


def is_opening(sentence: str) -> bool:
    """Whether a sentence only introduces or closes a report."""
    return _OPENING.match(sentence) is not None and not _REPORTED.search(sentence)


def states_fault(text: str) -> bool:
    """Whether a text says that something is wrong, missing or risky."""
    return _FAULT.search(text) is not None


def takes_back(praise: str) -> bool:
    """Whether praise goes on to what is wrong: `Passwords are hashed, but without a salt.`"""
    contrast = _CONTRAST.search(praise)
    return contrast is not None and states_fault(praise[contrast.end() :])


def is_assurance(sentence: str) -> bool:
    """Whether a sentence says that something is as it should be, and nothing else."""
    return _ASSURANCE.search(sentence) is not None and not _FAULT.search(sentence)


def long_enough(text: str, words: int = 5) -> bool:
    """Whether a text has enough words to claim anything; scripts without spaces count by character."""
    wide = sum(ord(mark) > 0x2E7F for mark in text)
    return len(text.split()) >= words or wide >= 2 * words


def split_steps(paragraph: str) -> list[str]:
    """A paragraph of prose, cut where it counts: `First, … Second, … Finally, …`."""
    return _STEP.split(paragraph)


def without_opening(text: str) -> str:
    """Prose from the first sentence that does not frame the report; empty if there is none."""
    if not is_opening(_first_sentence(text)):
        return text
    return _after_first(text, _is_weightless)


def without_denial(text: str) -> str:
    """A text without the sentence that says there is nothing to report.

    After `No problems found.` the rest explains why, unless it takes the denial back; after `No problems in the log.`
    it goes on to other things.
    """
    flat = text.strip()
    first = _first_sentence(flat)
    if len(first) >= _LONGEST_DENIAL or not _DENIAL.match(first):
        return text
    rest = _after_first(flat, lambda sentence: bool(_DENIAL.match(sentence)) or _is_weightless(sentence))
    return rest if _PARTLY.search(first) or _CONTRAST.search(rest) else ""


def _is_weightless(sentence: str) -> bool:
    return is_opening(sentence) or is_assurance(sentence)


def _first_sentence(text: str) -> str:
    end = _SENTENCE.search(text)
    return text[: end.start()] if end else text


def _after_first(text: str, dropped: Test) -> str:
    """The text after the first sentence and any dropped ones that follow it; empty if too short to claim anything."""
    starts = [end.end() for end in _SENTENCE.finditer(text)]
    spans = pairwise([*starts, len(text)])
    start = next((start for start, end in spans if not dropped(text[start:end].strip())), None)
    rest = "" if start is None else text[start:]
    return rest if long_enough(rest) else ""
