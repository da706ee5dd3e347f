import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_sqs as sqs

app = cdk.App()
yard = cdk.Stack(app, "Yard")
bus = events.EventBus(yard, "Bus", event_bus_name="yard")

gates = cdk.Stack(app, "Gates")
gates_queue = sqs.Queue(gates, "Queue")
events.Rule(
    gates,
    "Rule",
    event_bus=bus,
    event_pattern=events.EventPattern(
        source=["yard.readers"],
        detail={"tag": [{"wildcard": "*D*F*B*G*"}, {"wildcard": "*C*H*E*G*"}, {"wildcard": "*B*G*C*B*"}]},
    ),
    targets=[targets.SqsQueue(gates_queue)],
)

cranes = cdk.Stack(app, "Cranes")
cranes_queue = sqs.Queue(cranes, "Queue")
events.Rule(
    cranes,
    "Rule",
    event_bus=bus,
    event_pattern=events.EventPattern(
        source=["yard.readers"],
        detail={"tag": [{"wildcard": "*G*B*E*F*"}, {"wildcard": "*E*F*G*A*"}, {"wildcard": "*G*H*E*A*"}]},
    ),
    targets=[targets.SqsQueue(cranes_queue)],
)

app.synth()
