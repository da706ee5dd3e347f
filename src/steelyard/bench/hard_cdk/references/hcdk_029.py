import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_sqs as sqs
from constructs import Construct

app = cdk.App()
hub = cdk.Stack(app, "Hub")
bus = events.EventBus(hub, "Bus", event_bus_name="parcels")


def team(name: str, patterns: list[str]) -> None:
    stack = cdk.Stack(app, name)
    queue = sqs.Queue(Construct(stack, "Intake"), "Queue", retention_period=cdk.Duration.days(14))
    queue.node.default_child.override_logical_id("queue174326342")
    events.Rule(
        stack,
        "Rule",
        event_bus=bus,
        event_pattern=events.EventPattern(
            source=["hub.scanner"],
            detail={"code": [{"wildcard": pattern} for pattern in patterns]},
        ),
        targets=[targets.SqsQueue(queue)],
    )


team("Express", ["*E*B*B*", "*H*C*D*", "*B*B*C*"])
team("Bulky", ["*C*E*H*", "*G*F*E*", "*G*E*E*"])

app.synth()
