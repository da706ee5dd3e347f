import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_sqs as sqs
from constructs import Construct


class OrderBusStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        bus = events.EventBus(self, "Orders", event_bus_name="orders")
        bus.archive(
            "Replay",
            event_pattern=events.EventPattern(source=["shop.orders"]),
            retention=cdk.Duration.days(30),
        )
        large_orders = sqs.Queue(self, "LargeOrders")
        undelivered = sqs.Queue(self, "Undelivered", retention_period=cdk.Duration.days(14))
        events.Rule(
            self,
            "LargeOrder",
            event_bus=bus,
            event_pattern=events.EventPattern(
                source=["shop.orders"],
                detail_type=["OrderPlaced"],
                detail={"total": events.Match.greater_than_or_equal(1000)},
            ),
            targets=[targets.SqsQueue(large_orders, dead_letter_queue=undelivered)],
        )


app = cdk.App()
OrderBusStack(app, "OrderBus")
app.synth()
