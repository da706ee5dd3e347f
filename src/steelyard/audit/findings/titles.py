"""What a title says its section is for: a frame around findings, a group of findings, praise, or a part of one.

One rule for all of them: a title is of a kind if it holds a word of that kind and otherwise only words that say nothing
about a fault (`Overall summary`, `重大な問題`). One more word makes it a claim: `Summary page leaks data`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_FRAMES = re.compile(
    r"\b(?:summar(?:y|ies)|overview|conclusions?|recommend(?:ations?|ed)|prioriti(?:es|[sz]ation)|scor(?:es?|ing|ecard)|metadata"
    r"|assessment|verdict|method(?:ology)?|approach|scope|intro(?:duction)?|background|context|remarks|roadmap|actions?"
    r"|stat(?:istic)?s|metrics|matrix|contents|index|legend|steps|about|closing|disclaimer|limitations|confidence|sign-?off"
    r"|structural analysis|document structure"
    r"|how i (?:reviewed|read|worked)|what i (?:reviewed|read|checked)|files? reviewed)\b"
    r"|総評|総合(?:評価|判定)|まとめ|要約|概要|総括|結論|結語|目次|前提(?:条件)?|実行条件|次のステップ|今後の(?:対応|進め方)|スコア|サマリー?"
    r"|推奨(?:事項|対応|アクション)|優先(?:度|順位|対応)|評価結果|(?:評価|レビュー)の?(?:対象|範囲|方針|観点|方法)",
    re.IGNORECASE,
)
"""What is around findings."""
_FAULTS = re.compile(
    r"\b(?:issues?|problems?|bugs?|defects?|vulnerabilit(?:y|ies)|concerns?|risks?|weaknesses|inconsistencies|gaps|improvements?"
    r"|suggestions?|enhancements?|nitpicks)\b|問題点?|指摘(?:事項)?|課題|懸念(?:事項|点)?|改善(?:提案|点|案|事項)|リスク|脆弱性|欠陥|不備",
    re.IGNORECASE,
)
_SEVERITIES = re.compile(
    r"\b(?:critical|high|medium|moderate|low|minor|major|severe|blocker|blocking|info(?:rmational)?|warning|nit|severity"
    r"|priority|must have|nice to have|(?:must|should|could) fix)s?\b|致命的|重大|重要|深刻|緊急|中程度|軽微",
    re.IGNORECASE,
)
_COLLECTIONS = re.compile(
    r"\b(?:findings?|observations?|details?|results?|items?|reviews?|reports?)\b|検出結果|確認事項",
    re.IGNORECASE,
)
_PRAISES = re.compile(
    r"\b(?:strengths?|positives?(?:(?: \w+){0,2}(?=\W*$))?|good|well|right|fine|clean|sound|ok|passed|done"
    r"|false positives?|ruled out"
    r"|(?:no|not|non)\b[ -](?:an? )?(?:issues?|problems?|findings?|concerns?))\b"
    r"|良い|良好な?|優れ(?:た|ている)|適切な|評価できる|強み|長所|問題なし|肯定的な?|ポジティブな?",
    re.IGNORECASE,
)
_GROUPS = (_FAULTS, _SEVERITIES, _COLLECTIONS)
_FILLERS = re.compile(
    r"\b(?:an?|the|of|and|by|for|with|per|in|to|on|or|at|is|are|was|were|this|that|all|my|what|works?|went|looks?|things?"
    r"|executive|overall|final|key|main|quick|brief|top|next|immediate|short|long|term|general|specific|detailed|other"
    r"|additional|further|remaining|possible|potential|important|significant|identified|detect(?:ed|ion)|found|required"
    r"|prioriti[sz]ed|confirm(?:ed|ation)?|verified|checked|notes?|info\w*|reviewe[rd]|evaluations?|evaluated|audit|analysis"
    r"|remediation|fix|order|plan|list|tables?|categor(?:y|ies)|criteri(?:on|a)|scale|levels?|aspects?|elements?|highlights?"
    r"|points?|practices?|security|performance|reliability|consistency|quality|design|architectur(?:e|al)|structur(?:e|al)"
    r"|code|document|files?|system|cross-cutting|global)\b"
    r"|一覧|リスト|表|別|順|付け|主要|詳細|その他|個別|設計上?|セキュリティ上?|性能上?|検出|発見|特定|された|した|全体|採点|評価|結果|レビュー"
    r"|確認|参考|情報|提案|アクション|事項|側面|要素|高|中|低|点|度|[のなとや]",
    re.IGNORECASE,
)
"""Words that say nothing about which fault is meant, if any."""
_REMARK = re.compile(r"[\s*_]*(?:\([^()]{0,120}\)|\[[^\[\]]{0,120}\])$")
_LETTER = re.compile(r"[^\W\d_]")
# On a longer line, patterns with many alternatives take long, and nobody writes such a title.
_LONGEST_TITLE = 400


@lru_cache(maxsize=4096)
def is_frame(title: str) -> bool:
    """Whether a section with this title only frames the report: summary, scope, method."""
    bare = _bare(title)
    return _FRAMES.search(bare) is not None and _says_no_more(bare, _FRAMES, *_GROUPS)


@lru_cache(maxsize=4096)
def is_group(title: str) -> bool:
    """Whether a section with this title holds several findings: `Critical issues`, `重大な問題`."""
    bare = _bare(title)
    # `Severity: high` states a property of one finding.
    return (
        not _LETTER.search(bare.partition(":")[2])
        and any(kind.search(bare) for kind in _GROUPS)
        and _says_no_more(bare, *_GROUPS)
    )


@lru_cache(maxsize=4096)
def is_praise(title: str) -> bool:
    """Whether a section with this title lists what is not wrong: `Strengths`, `Confirmed (good points)`."""
    flat = title[:_LONGEST_TITLE]
    # In `Minor issues (and good points)` the issues are real.
    return _PRAISES.search(flat) is not None and _says_no_more(flat, _PRAISES, _FRAMES, _COLLECTIONS)


def in_praise(titles: Sequence[str]) -> bool:
    """Whether what stands below these headings, outermost first, is praise: `Minor gaps` below `Strengths` are real."""
    return next((is_praise(title) for title in reversed(titles) if is_praise(title) or is_group(title)), False)


def is_part_noun(title: str) -> bool:
    """Whether a title is a bare noun: in bold below several headings it labels what each of them found."""
    bare = _bare(title)
    return any(kind.fullmatch(bare) for kind in (_FAULTS, _COLLECTIONS))


def _bare(title: str) -> str:
    """A title without remarks in parentheses at its end: `Critical issues (must be fixed)`."""
    bare = title.strip(" *_:")[:_LONGEST_TITLE]
    for _ in range(2):
        bare = _REMARK.sub("", bare).rstrip(" *_:") or bare
    return bare


def _says_no_more(title: str, *kinds: re.Pattern[str]) -> bool:
    """Whether nothing is left of a title without words of these kinds and fillers."""
    for kind in (*kinds, _FILLERS):
        title = kind.sub(" ", title)
    return _LETTER.search(title) is None
