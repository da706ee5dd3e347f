"""Hard exam: questions whose choices have to be computed, in the suite `hard`.

The machinery is that of `practice_exam`: this folder has the questions, the task, and the answers of the embedded
subjects.
"""

from steelyard.bench.category import Category, ScorerChoice

CATEGORY = Category(
    key="hard_exam",
    name="Hard Exam",
    short="Exam",
    description="Long questions with several interacting constraints: throughput, cost, recovery, addresses, policies",
    dataset="hard_exam/dataset.jsonl",
    sample_count=44,
    scoring="binary",
    choices={"choice": ScorerChoice("choice")},
    weight=0.5,
    confidence="high",
    margin=0.05,
    expected_variance="±2–5%",
    output_tokens=900,
    unreadable=("truncated", "refusal", "no_response", "invalid_response_format"),
    floor_at_most=0.2,
)
