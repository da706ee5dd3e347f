"""Hard architecture: fifteen architectures with traps, scored on facts, in the suite `hard`."""

from steelyard.bench.category import Category, ScorerChoice

CATEGORY = Category(
    key="hard_architecture",
    name="Hard Architecture",
    short="Arch",
    description="Architectures that contradict their documents: load, failures, permissions, routes and costs",
    dataset="hard_architecture/dataset.jsonl",
    sample_count=15,
    scoring="rubric",
    choices={"facts": ScorerChoice("facts_scorer")},
    weight=0.33,
    confidence="medium",
    margin=0.10,
    expected_variance="±5–10%",
    output_tokens=1200,
    unreadable=("truncated", "refusal", "no_response", "no_facts"),
    floor_at_most=0.2,
)
