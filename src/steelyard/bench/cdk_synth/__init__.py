"""CDK synthesis: forty prompts whose answers are really synthesized."""

from steelyard.bench.category import Category, ScorerChoice

CATEGORY = Category(
    key="cdk_synth",
    name="CDK Synthesis",
    short="CDK",
    description="Writing AWS CDK apps in Python that really synthesize",
    dataset="cdk_synth/cdk_synth.jsonl",
    sample_count=40,
    scoring="binary",
    choices={
        "cdk_verify_local": ScorerChoice("cdk_verify_local", {"verifier": "local"}),
        "cdk_verify": ScorerChoice("cdk_verify", {"verifier": "sandbox"}),
    },
    # Both verifiers hold one law: pass or fail of the same synth.
    interchangeable=True,
    weight=0.33,
    confidence="high",
    margin=0.05,
    expected_variance="±5%",
    output_tokens=1500,
    unreadable=("no_response", "refusal", "no_code"),
    intent="cdk_intent",
    floor_at_most=0.0,
    needs_tools=True,
)
