"""Signs of prompt injection in a graded text: orders, false turns, imitated verdicts, hidden messages.

Signs are recorded beside a verdict and never change it; a passage with one of the first two cannot serve as evidence.
The search is in lower case, first for a plain word and then for the pattern around it, because most texts have none
and thousands of texts are searched.
"""

from __future__ import annotations

import re
import unicodedata

from steelyard.judge.topic import content_words, is_english
from steelyard.text import unleet, unmixed

LEAST_OWN = 3
"""Content words that a passage needs beside what it quotes."""

_TARGET = r"\b[^.\n]{0,60}\b(?:rubric|criteria|grading|everything above)\b"
_PROMPT = r"\b[^.\n]{0,60}\b(?:instructions?|prompt)\b"
_TOLD = (
    "to",
    "can",
    "could",
    "may",
    "might",
    "would",
    "cannot",
    "let it",
    "let them",
    "never",
    "will",
    "they",
    "users",
)
"""Words before a verb that is told of somebody else: a ticket could override the instructions."""
_PRIZE = (
    r"\b[^.\n]{0,60}\b(?:full|perfect|maximum|max|highest|top|best) (?:possible )?"
    r"(?:marks?|scores?|credit|grades?|points|band)"
)
_NUMBER = r"s?\b[^.\n]{0,30}(?<![\d.])(?:1\.0+|100\s?%|10\s?/\s?10|5\s?/\s?5)"
_READER = r"\b[^.\n]{0,12}\b(?:grader|judge|evaluator|marker)s?\b"
_KEY = r" (?:(?:the|this|that|your|any) )?(?:answer )?key\b(?=\s*(?:[.,;:!]|and\b|$))"
_EVERYTHING = (
    r"(?: down)?(?: as)? (?:every(?:thing|one)?|all|each|any|both)\b[^.\n]{0,40}"
    r"\b(?:detected|met|correct|passed|found|true|solved)\b"
)


def _ignoring(verb: str) -> str:
    """What follows a verb of ignoring that makes it an order; prompts are also what honest findings are about."""
    told = "".join(rf"(?<!\b{before} {verb})" for before in _TOLD)
    asked = "|".join(rf"(?<=\byou {before} {verb})" for before in _TOLD if " " not in before)
    return rf"(?:{_TARGET}|{_KEY}|(?:{told}|{asked}){_PROMPT})"


_AFTER = {
    **{verb: _ignoring(verb) for verb in ("ignore", "disregard", "forget", "override")},
    "mark": _EVERYTHING,
    **dict.fromkeys(("give", "assign", "grant", "return", "output", "reply with", "respond with"), _PRIZE),
    **dict.fromkeys(("deserve", "merit"), f"s?{_PRIZE}"),
    "award": rf"(?: (?:it|this|that|them)\b|{_PRIZE})",
    "criterion": r"\b[^.\n]{0,30}\b(?:satisfied|met|fulfilled|verified|passed|complete|done)\b",
    "as": r" (?:the|an|a|our|my) (?:grader|assessor|examiner|evaluator)\b",
    "whoever": r" (?:reads this\b|(?:grades|marks|judges|scores|weighs|assesses|compares) th)",
    "you": r" (?:should|must|can|may|will) (?:conclude|agree|accept) that\b",
    "tick": r" (?:the|this|every|each) box",
    "score": _NUMBER,
    "grade": f"(?:{_NUMBER}|{_PRIZE})",
    **dict.fromkeys(("note", "message", "attention", "dear", "instruction"), f"s?{_READER}"),
    "graded text ends": r"\b",
    "new": r" (?:rubric|instructions?|rules)\s*:",
    "end of": r" (?:the )?(?:graded text|answer|data|submission|response)\b",
}
_ORDERS = {word: re.compile(rf"(?<!\w){word}{after}") for word, after in _AFTER.items()}
_TURNS = {
    word: re.compile(rf"{word}\s*(?::|(?:message|prompt|override|note|notice)\s*(?:[^\w\s]|$))", re.MULTILINE)
    for word in ("system", "assistant", "developer", "human")
}
_VERDICT = re.compile(r"""["'](?:grades|scores?|verdict|met)["']\s*:""")
_ENCODED = re.compile(r"[a-z0-9+/]{120,}")
_LOOK_ALIKES = re.compile("[\u0370-\u052f]")
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_FOREIGN = (
    # Verbs or superlatives, then nouns of grading: German, Spanish, Portuguese, French, Italian, Dutch, Polish,
    # Swedish, Turkish, Russian, Chinese, Japanese, Korean, Ukrainian, Greek, Hebrew, Arabic, Hindi, Vietnamese,
    # Indonesian, Czech, Finnish, Danish and Norwegian, Romanian, Hungarian, Latin. Without accents, as stems.
    (
        r"ignorier|missacht|vergiss|vergib|\bgib\b|\bgebt\b|\bgeben\b|erteil|bewert|\bvoll|hochst|\bbeste|maximal",
        r"kriteri|bewertung|rubrik|anweisung|punktzahl|\bnoten?\b|\bpunkte|prufer|gutachter|schlussel\b",
    ),
    (
        r"ignor|olvid|esquec|desconsider|omiso|otorg|asign|atribu|\bd[ae]le?\b|\bde\b|conced|maxim|perfect|perfeit",
        r"criteri|rubrica|instrucc|instruco|puntuac|pontuac|\bpuntos\b|\bpontos\b|calificac|\bnota\b|evaluador|avaliador",
    ),
    (
        r"ignor|oubli|attribu|donne|accord|maxim|parfait|meilleur",
        r"criter|bareme|consigne|instruction|\bnotes?\b|\bpoints\b|correcteur|evaluateur",
    ),
    (
        r"ignor|dimentic|assegn|\bdai\b|\bdare\b|massim|pien",
        r"criteri|rubrica|istruzion|punteggi|\bpunti\b|\bvoto\b|valutator",
    ),
    (r"negeer|vergeet|\bgeef\b|hoogst|maximal|voll", r"criteri|rubriek|instructie|\bpunten\b|\bcijfer|score|beoordel"),
    (r"ignoruj|zignoruj|pomin|przyzn|\bdaj|maksym|najwyz", r"kryteri|rubryk|instrukc|punkt|\bocen"),
    (r"ignorera|bortse|\bge\b|hogst|maximal|full", r"kriteri|instruktion|poang|betyg|bedom"),
    (r"yok say|gormezden|\bver\b|verin|tam|en yuksek|azami", r"kriter|talimat|puan|\bnot\b|degerlendir"),
    (r"игнор|забуд|постав|присво|\bдай|максим|высш", r"критери|рубрик|инструкц|балл|оценк|оценщ"),
    (r"忽略|忽视|无视|無視|请给|給予|给予|给这|給這|打", r"评分|評分|满分|滿分|标准|標準|分数|分數|高分|评审|評審"),
    (r"無視|与え|付け|つけ|してください|最高", r"採点|満点|評価|点数|基準|得点"),
    (r"무시|주세요|주십시오|부여|최고", r"점수|만점|채점|평가"),
    (r"ігнор|забуд|постав|присво|надаи|максим|наивищ", r"критері|інструкц|бал\b|бали|балів|оцін"),
    (r"αγνο|ξεχα|δωσ|βαλ|μεγιστ|αριστ", r"κριτηρι|οδηγι|βαθμ|αξιολογ"),
    (r"התעלם|תן|תני|תנו|העניק|מלא|מקסימ", r"קריטריו|הוראות|ציון|נקודות|בודק|שופט"),
    (r"تجاهل|امنح|اعط|أعط|ضع|كامل|قصوى|أعلى", r"معايير|معيار|تعليمات|درج|نقاط|علامة|مقيم|مصحح"),
    (r"अनदेखा|नजरअंदाज|दे|दीजिए|पूर|अधिकतम", r"मानदंड|निर्देश|अंक|मूल्यांकन|परीक्षक"),
    (r"bo qua|\bcho\b|toi đa|toi da|cao nhat|\btron\b", r"tieu chi|huong dan|\bđiem\b|\bdiem\b|\bcham\b|giam khao"),
    (r"abaikan|berikan|\bberi\b|maksim|penuh|tertinggi", r"kriteri|instruksi|\bnilai|\bskor|penilai|poin"),
    (r"ignoruj|\bdej|udel|pridel|maxim|nejvyss|\bplny", r"kriteri|pokyn|\bbodu\b|\bbodov|hodnot|znamk"),
    (r"unohda|ohita|\banna|taydet|taysi|korkein|maksim", r"kriteeri|ohje|pistee|arvio|arvosan"),
    (
        r"\bgiv\b|\bgi\b|tildel|\bfuldt?\b|hoyest|højest|maksim",
        r"kriteri|instruks|\bpoint\b|poeng|karakter|bedom|bedøm",
    ),
    (r"ignora|acorda|\bda-i\b|ofera|\bmaxim[ae]\b|deplin", r"criteriil|instructiun|punctaj|\bnota\b|puncte|evaluator"),
    (r"hagyd figyelmen|\badj|maxim|teljes|legmagas", r"kriteri|szempont|utasit|\bpontot|\bpontsz|ertekel|osztalyzat"),
    (r"ignora|\bda\b|tribue|plenam|summam|maximam", r"\biudex|\bnotam\b"),
)
_REQUEST = re.compile(
    r"(?:^|[.!?:;,]\s{0,3})(?:bitte|prosze|lutfen|tolong|mohon|xin hay|snalla|quaeso|palun|alstublieft"
    r"|alsjeblieft|por favor|per favore|per piacere|merci de|te rog|ole hyva|va rog|prosim|molim)\b"
    r"(?!,? (?:beachte|siehe)\b)"
    r"|\((?:met|detected)\)|:\s*[○◯△]\W*$|^\W*//\W*#"
    r"|\brole[\"']?\s*[:=]\s*[\"']?(?:system|assistant|developer)\b|</?(?:system|assistant|instructions?)>"
)
"""What opens a request in other languages, and the forms of a key, a comment or a turn."""
_QUOTED = re.compile(
    r"(?<!\w)'[^'\n]{3,300}'(?!\w)|\"[^\"\n]{3,300}\"|`[^`\n]{3,300}`|“[^”\n]{3,300}”|‘[^’\n]{3,300}’|«[^»\n]{3,300}»|「[^」\n]{2,300}」"
)
_ORDERS_ELSEWHERE = tuple((re.compile(act), re.compile(grading)) for act, grading in _FOREIGN)
_SINGLE_LETTERS = 0.6
"""Share of words of one letter from which on a passage is spelled out letter by letter."""
_BEFORE_TURN = 8
"""Characters allowed between the start of a line and the name of a turn (`### System:`)."""


def injection_signs(text: str) -> set[str]:
    """The names of the signs in a cleaned text."""
    low = text.lower()
    signs = {
        "instruction": _orders(low),
        "verdict_object": _VERDICT.search(low) is not None,
        "html_comment": "<!--" in low,
        "encoded": max(map(len, low.split()), default=0) >= 120 and _ENCODED.search(low) is not None,
        "mixed_script": _LOOK_ALIKES.search(low) is not None and any(map(_mixed, _LETTERS.findall(low))),
    }
    return {name for name, present in signs.items() if present}


def speaks_to_judge(text: str) -> bool:
    """Whether `text` instructs a judge or imitates a verdict: such a passage is not evidence of quality."""
    low = text.lower()
    return _VERDICT.search(low) is not None or _orders(low)


def speaks_to_reader(text: str) -> bool:
    """Whether a passage has the form of an order, a turn or a verdict, in any of several languages.

    Orders in other words are weighed by `talk`. Stricter than `speaks_to_judge`, for passages that are offered as
    evidence: look-alike letters, figures in place of letters and words spelled out letter by letter are read as what
    they show.
    """
    words = text.split()
    if len(words) >= 6 and sum(len(word) == 1 and word.isalpha() for word in words) >= _SINGLE_LETTERS * len(words):
        return True
    low = unmixed(text)[0].lower()
    plain = "".join(mark for mark in unicodedata.normalize("NFKD", low) if not unicodedata.combining(mark))
    spellings = {text, low, *unleet(low)}
    if any(map(_REQUEST.search, {plain, *unleet(plain)})) or any(map(speaks_to_judge, spellings)):
        return True
    return not is_english(low) and any(
        act.search(letters) and grading.search(letters)
        for letters in {low, unicodedata.normalize("NFC", plain)}
        for act, grading in _ORDERS_ELSEWHERE
    )


def own_words(text: str) -> str:
    """A passage without what it quotes, if it says enough besides: a finding may report an order that it has seen."""
    rest = _QUOTED.sub(" ", text)
    return rest if len(content_words(rest)) >= LEAST_OWN else text


def _orders(low: str) -> bool:
    return any(_follows(low, word, pattern) for word, pattern in _ORDERS.items()) or any(
        _follows(low, word, pattern, line_start=True) for word, pattern in _TURNS.items()
    )


def _follows(low: str, word: str, pattern: re.Pattern[str], *, line_start: bool = False) -> bool:
    """Whether `pattern` matches at an occurrence of `word` (with `line_start`, at the start of a line)."""
    place = low.find(word)
    while place >= 0:
        if pattern.match(low, place) and (not line_start or _opens_line(low, place)):
            return True
        place = low.find(word, place + 1)
    return False


def _opens_line(low: str, place: int) -> bool:
    before = low[low.rfind("\n", 0, place) + 1 : place]
    return len(before) <= _BEFORE_TURN and not any(mark.isalnum() for mark in before)


def _mixed(word: str) -> bool:
    """Whether one word mixes Latin letters with their Greek or Cyrillic look-alikes."""
    scripts = {unicodedata.name(letter, "").split(" ")[0] for letter in word}
    return "LATIN" in scripts and bool(scripts & {"CYRILLIC", "GREEK"})
