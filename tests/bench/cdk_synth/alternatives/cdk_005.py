"""EventBridge Scheduler instead of a rule."""

import aws_cdk as cdk
from aws_cdk import aws_lambda as _lambda
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_scheduler_targets as targets
from aws_cdk import aws_sqs as sqs

app = cdk.App()
stack = cdk.Stack(app, "Probe")
queue = sqs.Queue(stack, "Dead")
fn = _lambda.Function(
    stack,
    "Fn",
    runtime=_lambda.Runtime.PYTHON_3_12,
    handler="index.main",
    code=_lambda.InlineCode("def main(event, context): pass"),
)
scheduler.Schedule(
    stack,
    "Schedule",
    schedule=scheduler.ScheduleExpression.cron(minute="0/15"),
    target=targets.LambdaInvoke(fn, retry_attempts=2, max_event_age=cdk.Duration.hours(1), dead_letter_queue=queue),
)
app.synth()
