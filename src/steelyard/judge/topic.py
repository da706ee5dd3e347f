"""What a quote must be about to be evidence. Pure.

Law: evidence shares at least one content word with its topic, that is with the item it supports and the task. Content
words are words without their endings, and names; letters of scripts without spaces count by twos. Words of
grammar and of grading are none, so that an order to the reader shares nothing with any topic, in whatever language or
spelling it is written. A topic with fewer than `LEAST_WORDS` content words says too little to compare with.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from steelyard.text import unmixed

LEAST_WORDS = 3
"""Content words a topic needs before evidence is compared with it."""

STEM = 5
"""Letters that two words must have in common, from the first one on, if they are not equal."""

THINLY = 10
"""One word of another language in more than so many is chance."""

LEAST_AROUND, KIN = 3, 5
"""Sentences around a passage from which on they say something about its language, and the share of them (one in so
many) that must have one of its words."""

IN_LATIN = 3
"""Latin letters that weigh as much as one of another script, in which names are written in Latin ones as well."""

_SPACELESS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af々ー"
_TOKEN = re.compile(rf"[{_SPACELESS}]+|[^\W_{_SPACELESS}]+")
_SPACELESS_LETTER = re.compile(f"[{_SPACELESS}]")
_KANA = re.compile("[\u3040-\u309f]")
_WORD = re.compile(r"(?<![\w'’.-])[^\W\d_A-Z][^\W\d_]*(?![\w'’(=-]|\.\w)")
"""A word that is not written as a name or as code."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_GRAMMAR = """
    a about above after all also an and any are as at be because been before being between both but by can could did do
    does each every everything for from further had has have he her here him his how i if in into is it its just may me
    might more most much must my no not nothing of off on once one only or other our out over own please same shall she
    should so some such than that the their them then there these they thing this those through to too under until up
    upon us very was we well were what when where which while who whom whose why will with within without would yes you
    your yours
    aber alle aller alles als am auch auf aus bei beim bitte das dass dein dem den der des die dies diese diesem diesen
    dieser dieses du durch ein eine einem einen einer eines er es für hat haben ich ihr im in ist jede jedem jeden jeder
    jedes kann kein keine man mit nach nicht nur ob oder ohne sich sie sind so über um und uns vom von vor war was wenn
    wer werden wie wir wird zu zum zur
    al algo ante como con cual cuando de del desde donde el ella en entre era es esa ese eso esta este esto está fue hay
    la las lo los más muy no nos para pero por porque que se ser si sin sobre son su sus también todas todo todos un una
    uno y ya
    au aux avec ce ces cet cette chaque dans des du elle elles en est et être eux il ils je la le les leur leurs lui
    mais ne nous on ou où par pas plus pour qu que qui sa sans se ses son sont sur tous tout toute toutes tu un une vos
    votre vous
    che col come con cui da dal dalla degli dei del della delle di dove e è gli ha i il in la le lo ma mi nel nella non
    o ogni per più questa questo se si sono su sul tutte tutti tutto una uno
    ao aos as até com da das de do dos e é ele em essa esse esta este eu foi já mais mas na nas nem no nos não o os ou
    para pela pelo por que se sem ser seu sua são também todas todos tudo um uma você
    aan al als bij dan dat de der deze die dit door een en er het hij hoe ik in is je kan maar me met mijn naar niet nog
    of om ook op over te tot uit van voor was wat we wel wij worden ze zich zijn zo
    """
_GRAMMAR_ELSEWHERE = """
    i oraz za na sie jest do nie od dla po przez ze och att det som den ett med till av inte ve bir bu icin ile da dan
    dengan untuk yang ini itu ke dari va cho cua la voi cac mot ja on ei se sen ta kui oma un par ar uz ir kad su ang ng
    sa mga at na kwa ya wa ni yn ac y mae agus an og ad sem til eta du ez kaj al por estas si nu pe cu care este es az
    hogy egy nem van et in cum ad esse non amb els les vir nie
    """
_GRADING = """
    answer answers assess assessed assessment award best candidate correct credit criteria criterion deserve deserves
    detected detection dimension dimensions dishonest evaluate evaluated evaluation evaluator evidence exam examiner
    excellent exceptional finding findings flawless full good grade graded grader grades grading great highest honest
    ignore item items judge judged judgement judges key mark marked marker marking marks max maximal maximum meet meets
    met name named partial perfect point points problem problems prompt question rate rated rating reader reply respond
    response result results review reviewer right rubric say says score scored scorer scores scoring statement
    statements submission task tasks test text texts top true verdict word words write written wrong
    antwort antworten aufgabe bewerte bewerten bewertung erfüllt frage gut höchste höchstnote höchstpunktzahl kriterien
    kriterium maximal maximale note noten perfekt prüfer punkt punkte punktzahl richtig text vergib volle vollständig
    calificación criterio criterios evaluación evaluador máxima máximo nota perfecta perfecto pregunta puntos puntuación
    respuesta texto
    barème correcteur critère critères évaluateur évaluation maximale maximum meilleure noter parfait parfaite points
    question réponse texte
    criteri domanda massima massimo perfetta punteggio punti risposta testo valutazione valutatore voto
    avaliação avaliador critério critérios máxima pergunta pontos pontuação resposta texto
    antwoord beoordelaar beoordeling cijfer hoogste punten vraag
    """
_GRADING_SPACELESS = """
    评分 满分 分数 标准 评委 评估 评价 打分 给予 答案 回答 这个 忽略 所有 要求 指令 最高 分给 得分 老师 问题 文本
    題目 题目 完美 評分 滿分 分數 標準 評價 給予 這個 採点 満点 評価 点数 基準 得点 回答 解答 文章 最高 無視 命令
    指示 完璧 質問 課題 점수 만점 채점 평가 기준 답변 대답 최고 무시 질문
    """


def topic_of(item: str, task: str) -> str:
    """What evidence for an item must be about; empty if the task says too little: most items fit any subject."""
    return f"{item}\n{task}" if len(content_words(task)) >= LEAST_WORDS else ""


def on_topic(passage: str, topic: str) -> bool:
    """Whether a passage shares a content word with `topic`, or `topic` says too little to tell."""
    wanted = content_words(topic)
    if len(wanted) < LEAST_WORDS:
        return True
    stems = {word[:STEM] for word in wanted if len(word) >= STEM}
    return any(word in wanted or (len(word) >= STEM and word[:STEM] in stems) for word in content_words(passage))


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """The content words of a text, in lower case and without accents."""
    words: set[str] = set()
    for token in _TOKEN.findall(unmixed(unicodedata.normalize("NFKC", text))[0]):
        if _SPACELESS_LETTER.match(token):
            pairs = (token[at : at + 2] for at in range(len(token) - 1))
            words.update(pair for pair in pairs if not _KANA.search(pair) and pair not in _spaceless())
        else:
            words.update(filter(_has_content, map(plain, (token, *_CAMEL.split(token)))))
    return frozenset(words)


def words_of(text: str) -> list[str]:
    """The words of a text with spaces, in the form of `plain`; a name in several words is these."""
    return [plain(word) for token in _TOKEN.findall(text) for word in _CAMEL.split(token)]


@lru_cache(maxsize=4096)
def main_script(text: str) -> str:
    """The script that most letters of a text are in, as Unicode names it; Latin if it has none.

    Scripts that are written without spaces, which Japanese mixes, are one.
    """
    spaceless = len(_SPACELESS_LETTER.findall(text))
    others = _SPACELESS_LETTER.sub("", text)
    scripts = Counter(unicodedata.name(letter, "LATIN").split()[0] for letter in others if letter.isalpha())
    scripts["CJK"] += spaceless
    scripts["LATIN"] //= IN_LATIN
    return scripts.most_common(1)[0][0] if scripts.total() else "LATIN"


def is_foreign(passage: str, others: Sequence[str], topic: str) -> bool:
    """Whether a passage is in a language of Latin script that neither the sentences around it nor the topic are in.

    A language shows in its small words and in letters with marks. Few sentences around a passage tell nothing.
    """
    words = _WORD.findall(passage)
    small = {word for word in words if len(word) in (2, 3, 4) and plain(word) not in small_words()}
    marked = {word for word in words if not word.isascii()}
    strange = {word for word in small if plain(word) in _elsewhere()} | marked
    english = sum(plain(word) in small_words() for word in words)
    if len(strange) <= english or len(strange) * THINLY < len(words):
        return False
    if len(small | marked) < 2 and (english or sum(map(is_english, others)) * 2 < len(others)):
        return False
    shared = sum(not strange.isdisjoint(_WORD.findall(other.lower())) for other in others)
    known = not strange.isdisjoint(_WORD.findall(topic.lower()))
    return len(others) >= LEAST_AROUND and shared * KIN < len(others) and not known


def is_english(text: str) -> bool:
    """Whether small words show that a text is in English; false in doubt."""
    words = [plain(word) for word in _WORD.findall(text)]
    english = sum(word in small_words() for word in words)
    return english >= LEAST_WORDS and english > 2 * sum(word in _elsewhere() for word in words)


def plain(word: str) -> str:
    """A word in lower case without accents, and without the ending of a plural."""
    letters = "".join(
        mark for mark in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(mark)
    )
    if len(letters) > 4 and letters.endswith(("ies", "y")):  # retry, retries
        return letters.removesuffix("ies").removesuffix("y") + "i"
    return letters[:-1] if len(letters) > 3 and letters.endswith("s") and not letters.endswith("ss") else letters


@lru_cache(maxsize=1)
def small_words() -> frozenset[str]:
    """The words of English grammar."""
    return frozenset(map(plain, _GRAMMAR[: _GRAMMAR.index("aber")].split()))


def _has_content(word: str) -> bool:
    if word.isdecimal():  # a status code or a port is a name; 1 to 99, 100 and 1000 are what orders ask for
        return len(word) >= 3 and word.strip("0") != "1"
    short = len(word) < 3 and not any(map(str.isdigit, word))
    return not (short or word in _empty())


@lru_cache(maxsize=1)
def _empty() -> frozenset[str]:
    return frozenset(map(plain, (_GRAMMAR + _GRADING).split()))


@lru_cache(maxsize=1)
def _elsewhere() -> frozenset[str]:
    english_too = {"ad", "am", "die", "man", "par", "per", "plu", "pour", "son", "van", "war"}
    return frozenset(map(plain, (_GRAMMAR + _GRAMMAR_ELSEWHERE).split())) - small_words() - english_too


@lru_cache(maxsize=1)
def _spaceless() -> frozenset[str]:
    return frozenset(_GRADING_SPACELESS.split())
