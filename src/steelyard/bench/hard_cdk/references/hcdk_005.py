import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_sqs as sqs

app = cdk.App()
core = cdk.Stack(app, "Core")
bus = events.EventBus(core, "Bus", event_bus_name="fleet")

north = cdk.Stack(app, "North")
north_queue = sqs.Queue(north, "Queue")
events.Rule(
    north,
    "Rule",
    event_bus=bus,
    event_pattern=events.EventPattern(
        source=["fleet.telemetry"],
        detail={"serial": [{"wildcard": "*D*F*G*H*"}, {"wildcard": "*B*G*A*F*"}, {"wildcard": "*G*E*B*B*"}]},
    ),
    targets=[targets.SqsQueue(north_queue)],
)

south = cdk.Stack(app, "South")
south_queue = sqs.Queue(south, "Queue")
events.Rule(
    south,
    "Rule",
    event_bus=bus,
    event_pattern=events.EventPattern(
        source=["fleet.telemetry"],
        detail={"serial": [{"wildcard": "*H*G*A*D*"}, {"wildcard": "*E*F*G*D*"}, {"wildcard": "*B*A*D*E*"}]},
    ),
    targets=[targets.SqsQueue(south_queue)],
)

app.synth()
