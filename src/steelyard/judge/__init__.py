"""The judge: grades answers by a rubric for all three wings, and can never break a run.

Only pure names are re-exported here; `steelyard.judge.grade` asks a judge.
"""

from steelyard.judge.parse import Verdict, VerdictError
from steelyard.judge.protocol import Question
from steelyard.judge.question import question
from steelyard.judge.rubric import Rubric, load_rubric, parse_rubric

__all__ = ["Question", "Rubric", "Verdict", "VerdictError", "load_rubric", "parse_rubric", "question"]
