import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sqs as sqs

app = cdk.App()
core = cdk.Stack(app, "Core")
events.CfnEventBus(core, "Bus", name="orders")


def team(name, pattern):
    stack = cdk.Stack(app, name)
    stack.add_dependency(core)
    queue = sqs.CfnQueue(stack, "Inbox")
    rule = events.CfnRule(
        stack,
        "Feed",
        event_bus_name="orders",
        event_pattern=pattern,
        targets=[events.CfnRule.TargetProperty(arn=queue.attr_arn, id="inbox")],
    )
    statement = iam.PolicyStatement(
        principals=[iam.ServicePrincipal("events.amazonaws.com")],
        actions=["sqs:SendMessage"],
        resources=[queue.attr_arn],
        conditions={"ArnEquals": {"aws:SourceArn": rule.attr_arn}},
    )
    sqs.CfnQueuePolicy(stack, "Access", queues=[queue.ref], policy_document=iam.PolicyDocument(statements=[statement]))


team(
    "Billing",
    {
        "source": ["shop"],
        "detail-type": ["OrderPlaced", "OrderRefunded"],
        "detail": {"total": [{"numeric": [">", 0]}], "test": [{"exists": False}]},
    },
)
team(
    "Shipping",
    {
        "source": ["shop"],
        "detail-type": ["OrderPlaced", "AddressChanged"],
        "detail": {
            "delivery": {"country": ["DE", "AT", "CH"]},
            "$or": [
                {"delivery": {"method": [{"anything-but": ["pickup"]}]}},
                {"delivery": {"method": [{"exists": False}]}},
            ],
        },
    },
)
app.synth()
