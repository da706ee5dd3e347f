"""Architecture design: twenty-eight tasks about reading and creating AWS architectures."""

from steelyard.bench.category import Category, ScorerChoice

CATEGORY = Category(
    key="architecture_design",
    name="Architecture Design",
    short="Arch",
    description="Reading diagrams and designing systems: services, data flows, security, scale and cost",
    dataset="architecture_design/architecture_interpretation.jsonl",
    sample_count=28,
    scoring="rubric",
    choices={
        "heuristic": ScorerChoice("architecture_scorer", {"scorer": "heuristic"}),
        "judge": ScorerChoice("llm_judge_scorer", {"scorer": "judge"}, judged=True),
    },
    weight=0.33,
    facts="accuracy_facts",
    confidence="medium",
    margin=0.10,
    expected_variance="±5–10%",
    output_tokens=900,
    unreadable=("truncated", "refusal", "no_response", "unread"),
    floor_at_most=0.2,
    needs_tools=True,
)
