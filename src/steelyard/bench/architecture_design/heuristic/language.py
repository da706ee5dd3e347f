"""Tells running text from lists of words and from shuffled words.

Law: *function words* hold a sentence together and mean little alone; a list of names has none. *Order* tests a basic
rule of English: an article or a preposition is followed by what it belongs to, not by a conjunction, a form of "be" or
another preposition. Shuffled words break this rule often.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

ORDER_ALLOWED, ORDER_LOST = 0.07, 0.2
"""Share of misplaced articles and prepositions: full credit up to the first value, none from the second."""
MIN_HEADS = 10
"""Articles and prepositions below which an answer is too short to test."""
_ARTICLES = frozenset({"an", "the"})
_PREPOSITIONS = frozenset({"of", "with", "for", "from", "into"})
_NEVER = "and or is are can be will has have of but so because with by for into if"
_NEVER_AFTER_PREPOSITION = frozenset(_NEVER.split())

_FUNCTION_WORDS = """
a about above across after again against all also although always an and any are around as at be because been before
behind being below between both but by can cannot could did do does doesn't don't down during each either else even
every everything few for from further gets had has have having he her here how i if in inside instead into is isn't it
it's its itself just later less let like many may more most much must my near never no nobody none nor not
nothing now of off on once one only onto or other otherwise our out over own per rather same shall she should since so
some still such than that that's the their them then there therefore these they this those through till to together too
toward two under unless until up upon us very via was we well were what when where whether which while who whoever
whole whose why will with within without would yet you your
"""
_OF_OTHER_LANGUAGES = """
der die das den dem des ein eine einen einem einer und oder aber ist sind war wird werden nicht mit von vom zu zum zur
im am auf für aus bei nach über unter durch wenn weil dass damit als auch nur noch sich es er sie wir wo wie kann muss
le la les un une et ou mais est sont dans par pour avec sans sur sous du au aux ce cette ces qui que dont où ne pas plus
el los las una y o pero es son en por para con sin sobre del al se su sus que como cuando si no más porque
il lo gli uno e ma sono nel nella di da per con senza tra fra che chi quando perché non più
os um uma ou mas são em no na nos nas do da dos das ao à pelo pela sem porque não mais
het een en of maar zijn wordt worden niet met van voor naar bij uit door dat deze die als ook
"""
FUNCTION_WORDS = frozenset((_FUNCTION_WORDS + _OF_OTHER_LANGUAGES).split())
"""Words that hold a sentence together and mean little alone; includes other languages than English."""
_AFTER = "above all few further least less many more most much near now one only other own same such too two very well"
_AFTER_ARTICLE = frozenset(_AFTER.split())


def ordered(words: Sequence[str]) -> float:
    """How far the words follow natural word order: 1 for text, 0 for shuffled words; 1 if there are too few to tell."""
    heads = [pair for pair in pairwise(words) if pair[0] in _ARTICLES or pair[0] in _PREPOSITIONS]
    if len(heads) < MIN_HEADS or "the" not in words:
        return 1.0
    wrong = sum(_misplaced(*pair) for pair in heads) / len(heads)
    return min(max((ORDER_LOST - wrong) / (ORDER_LOST - ORDER_ALLOWED), 0.0), 1.0)


def _misplaced(word: str, after: str) -> bool:
    if word in _ARTICLES:
        return after in FUNCTION_WORDS and after not in _AFTER_ARTICLE
    return after in _NEVER_AFTER_PREPOSITION
