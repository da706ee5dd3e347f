import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_sqs as sqs

app = cdk.App()
core = cdk.Stack(app, "Yard")
bus = events.EventBus(core, "Bus", event_bus_name="yard")


def team(name: str, patterns: list[str]) -> None:
    stack = cdk.Stack(app, name)
    queue = sqs.Queue(stack, "Queue")
    events.Rule(
        stack,
        "Rule",
        event_bus=bus,
        event_pattern=events.EventPattern(
            source=["yard.readers"],
            detail={"tag": [{"wildcard": pattern} for pattern in patterns]},
        ),
        targets=[targets.SqsQueue(queue)],
    )


team("Gates", ["*H*E*E*", "*D*H*G*", "*H*A*C*"])
team("Cranes", ["*B*H*G*", "*C*C*A*", "*F*D*F*"])

app.synth()
