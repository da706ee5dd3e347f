import aws_cdk as cdk
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from constructs import Construct


class OrderFanOutStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        orders = sns.Topic(self, "Orders")
        kinds = {"Billing": ["placed", "refunded"], "Shipping": ["placed"], "Audit": None}
        for name, accepted in kinds.items():
            queue = sqs.Queue(
                self,
                name,
                dead_letter_queue=sqs.DeadLetterQueue(queue=sqs.Queue(self, f"{name}Failed"), max_receive_count=3),
            )
            orders.add_subscription(
                subscriptions.SqsSubscription(
                    queue,
                    raw_message_delivery=True,
                    filter_policy=accepted and {"kind": sns.SubscriptionFilter.string_filter(allowlist=accepted)},
                )
            )


app = cdk.App()
OrderFanOutStack(app, "OrderFanOut")
app.synth()
