import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_sqs as sqs

app = cdk.App()

core = cdk.Stack(app, "Core")
bus = events.EventBus(core, "Bus", event_bus_name="orders")


def team(name: str, kinds: list[str], detail: dict) -> None:
    stack = cdk.Stack(app, name)
    queue = sqs.Queue(stack, "Queue")
    events.Rule(
        stack,
        "Rule",
        event_bus=bus,
        event_pattern=events.EventPattern(source=["shop"], detail_type=kinds, detail=detail),
        targets=[targets.SqsQueue(queue)],
    )


team(
    "Billing",
    ["OrderPlaced", "OrderRefunded"],
    {"total": [{"numeric": [">", 0]}], "test": [{"exists": False}]},
)
team(
    "Shipping",
    ["OrderPlaced", "AddressChanged"],
    {"delivery": {"country": ["DE", "AT", "CH"], "method": [{"anything-but": "pickup"}, {"exists": False}]}},
)

app.synth()
