"""The judge: one grader that three wings can trust. Strict, hard to fool, cheap, calibrated, and never able to break
a run. Pure names only are re-exported here; asking a judge is `steelyard.judge.grade`."""

from steelyard.judge.parse import Verdict, VerdictError
from steelyard.judge.prompt import Question, question
from steelyard.judge.rubric import Rubric, load_rubric, parse_rubric

__all__ = ["Question", "Rubric", "Verdict", "VerdictError", "load_rubric", "parse_rubric", "question"]
