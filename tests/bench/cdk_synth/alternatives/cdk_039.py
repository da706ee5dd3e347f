"""A ratio instead of a percentage, and level-1 constructs for composite alarm and dashboard."""

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cw
from aws_cdk import aws_lambda as _lambda
from aws_cdk import aws_sns as sns

app = cdk.App()
stack = cdk.Stack(app, "Health")
fn = _lambda.Function(
    stack,
    "Fn",
    runtime=_lambda.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=_lambda.Code.from_inline("def handler(event, context): return 1"),
    tracing=_lambda.Tracing.ACTIVE,
)
rate = cw.MathExpression(
    expression="IF(i > 0, e / i, 0)",
    period=cdk.Duration.minutes(5),
    using_metrics={"e": fn.metric_errors(), "i": fn.metric_invocations()},
)
failing = rate.create_alarm(
    stack,
    "Failing",
    threshold=0.02,
    evaluation_periods=3,
    datapoints_to_alarm=2,
    comparison_operator=cw.ComparisonOperator.GREATER_THAN_THRESHOLD,
    treat_missing_data=cw.TreatMissingData.NOT_BREACHING,
)
p99 = fn.metric_duration(statistic=cw.Stats.percentile(99), period=cdk.Duration.minutes(5))
slow = p99.create_alarm(
    stack,
    "Slow",
    threshold=3000,
    evaluation_periods=3,
    comparison_operator=cw.ComparisonOperator.GREATER_THAN_THRESHOLD,
)
topic = sns.Topic(stack, "Topic")
cw.CfnCompositeAlarm(
    stack,
    "Unhealthy",
    alarm_rule=f'ALARM("{failing.alarm_name}") OR ALARM("{slow.alarm_name}")',
    alarm_actions=[topic.topic_arn],
)
cw.Dashboard(
    stack, "Board", dashboard_name="checkout", widgets=[[cw.GraphWidget(left=[rate]), cw.GraphWidget(left=[p99])]]
)
app.synth()
