"""Hard CDK: forty apps to write, wire, repair and migrate, judged by what they would deploy."""

from steelyard.bench.category import Category, ScorerChoice

CATEGORY = Category(
    key="hard_cdk",
    name="Hard CDK",
    short="CDK",
    description="Writing, repairing and migrating AWS CDK apps, judged by the behaviour of what they deploy",
    dataset="hard_cdk/hard_cdk.jsonl",
    sample_count=40,
    scoring="binary",
    choices={
        "cdk_behaviour_local": ScorerChoice("cdk_behaviour_local", {"verifier": "local"}),
        "cdk_behaviour": ScorerChoice("cdk_behaviour", {"verifier": "sandbox"}),
    },
    # Both verifiers synthesize the same app and hold one law.
    interchangeable=True,
    weight=0.5,
    confidence="high",
    margin=0.05,
    expected_variance="±5%",
    output_tokens=2500,
    unreadable=("no_response", "refusal", "no_code"),
    floor_at_most=0.0,
    needs_tools=True,
)
