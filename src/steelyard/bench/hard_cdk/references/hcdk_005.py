import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_sqs as sqs

app = cdk.App()
core = cdk.Stack(app, "Core")
bus = events.EventBus(core, "Bus", event_bus_name="fleet")


def team(name: str, patterns: list[str]) -> None:
    stack = cdk.Stack(app, name)
    queue = sqs.Queue(stack, "Queue")
    events.Rule(
        stack,
        "Rule",
        event_bus=bus,
        event_pattern=events.EventPattern(
            source=["fleet.telemetry"],
            detail={"serial": [{"wildcard": pattern} for pattern in patterns]},
        ),
        targets=[targets.SqsQueue(queue)],
    )


team("North", ["*A*D*C*", "*E*C*D*", "*E*H*B*"])
team("South", ["*D*H*E*", "*D*B*D*", "*G*D*C*"])

app.synth()
