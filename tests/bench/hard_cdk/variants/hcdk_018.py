import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs

app = cdk.App()
stack = cdk.Stack(app, "Alerts")
function = lambda_.Function(
    stack,
    "Notify",
    runtime=lambda_.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
)
failed = sqs.Queue(stack, "Failed", retention_period=cdk.Duration.days(14))
rule = events.CfnRule(
    stack,
    "StateChanges",
    event_pattern={
        "source": ["aws.ec2"],
        "detail-type": ["EC2 Instance State-change Notification"],
        "detail": {"state": [{"prefix": "stop"}, {"equals-ignore-case": "terminated"}]},
    },
    targets=[
        events.CfnRule.TargetProperty(
            id="notify",
            arn=function.function_arn,
            retry_policy=events.CfnRule.RetryPolicyProperty(
                maximum_event_age_in_seconds=3600, maximum_retry_attempts=4
            ),
            dead_letter_config=events.CfnRule.DeadLetterConfigProperty(arn=failed.queue_arn),
        )
    ],
)
function.add_permission("AllowRule", principal=iam.ServicePrincipal("events.amazonaws.com"), source_arn=rule.attr_arn)
failed.add_to_resource_policy(
    iam.PolicyStatement(
        principals=[iam.ServicePrincipal("events.amazonaws.com")],
        actions=["sqs:SendMessage"],
        resources=[failed.queue_arn],
        conditions={"ArnEquals": {"aws:SourceArn": rule.attr_arn}},
    )
)

app.synth()
