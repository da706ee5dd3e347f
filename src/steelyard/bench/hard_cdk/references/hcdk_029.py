import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_sqs as sqs
from constructs import Construct

app = cdk.App()
hub = cdk.Stack(app, "Hub")
bus = events.EventBus(hub, "Bus", event_bus_name="parcels")

express = cdk.Stack(app, "Express")
express_queue = sqs.Queue(Construct(express, "Intake"), "Queue", retention_period=cdk.Duration.days(14))
express_queue.node.default_child.override_logical_id("queue174326342")
events.Rule(
    express,
    "Rule",
    event_bus=bus,
    event_pattern=events.EventPattern(
        source=["hub.scanner"],
        detail={"code": [{"wildcard": "*H*G*A*A*"}, {"wildcard": "*E*F*F*G*"}, {"wildcard": "*C*G*A*G*"}]},
    ),
    targets=[targets.SqsQueue(express_queue)],
)

bulky = cdk.Stack(app, "Bulky")
bulky_queue = sqs.Queue(Construct(bulky, "Intake"), "Queue", retention_period=cdk.Duration.days(14))
bulky_queue.node.default_child.override_logical_id("queue174326342")
events.Rule(
    bulky,
    "Rule",
    event_bus=bus,
    event_pattern=events.EventPattern(
        source=["hub.scanner"],
        detail={"code": [{"wildcard": "*F*A*F*H*"}, {"wildcard": "*C*F*A*E*"}, {"wildcard": "*C*A*H*D*"}]},
    ),
    targets=[targets.SqsQueue(bulky_queue)],
)

app.synth()
