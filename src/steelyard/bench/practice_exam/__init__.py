"""Practice exam: fifty original questions on AWS solutions architecture.

`dataset` does not depend on Inspect, `embedded` answers for the ceiling and the floor, `task` and `scorer` are what
Inspect calls.
"""

from steelyard.bench.category import Category, ScorerChoice

CATEGORY = Category(
    key="practice_exam",
    name="Practice Exam",
    short="Exam",
    description="Certification-style questions: choosing services, applying best practices, deciding between designs",
    dataset="practice_exam/aws_sa.jsonl",
    sample_count=50,
    scoring="binary",
    choices={"choice": ScorerChoice("choice")},
    weight=0.34,
    confidence="high",
    margin=0.05,
    expected_variance="±2–5%",
    output_tokens=250,
    unreadable=("truncated", "refusal", "no_response", "invalid_response_format"),
    floor_at_most=0.35,
)
