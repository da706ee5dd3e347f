import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from constructs import Construct


class CheckoutHealthStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        checkout = lambda_.Function(
            self,
            "Checkout",
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline("def handler(event, context):\n    return 'paid'\n"),
            tracing=lambda_.Tracing.ACTIVE,
        )
        pager = sns.Topic(self, "Pager")

        error_rate = cloudwatch.MathExpression(
            expression="100 * errors / invocations",
            label="Error rate",
            period=cdk.Duration.minutes(5),
            using_metrics={
                "errors": checkout.metric_errors(statistic="Sum"),
                "invocations": checkout.metric_invocations(statistic="Sum"),
            },
        )
        failing = cloudwatch.Alarm(
            self,
            "Failing",
            metric=error_rate,
            threshold=2,
            evaluation_periods=3,
            datapoints_to_alarm=2,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
        )
        slow = cloudwatch.Alarm(
            self,
            "Slow",
            metric=checkout.metric_duration(statistic="p99", period=cdk.Duration.minutes(5)),
            threshold=3000,
            evaluation_periods=3,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
        )
        unhealthy = cloudwatch.CompositeAlarm(
            self,
            "Unhealthy",
            alarm_rule=cloudwatch.AlarmRule.any_of(
                cloudwatch.AlarmRule.from_alarm(failing, cloudwatch.AlarmState.ALARM),
                cloudwatch.AlarmRule.from_alarm(slow, cloudwatch.AlarmState.ALARM),
            ),
        )
        unhealthy.add_alarm_action(actions.SnsAction(pager))

        dashboard = cloudwatch.Dashboard(self, "Board", dashboard_name="checkout")
        dashboard.add_widgets(
            cloudwatch.GraphWidget(title="Error rate", left=[error_rate], width=12),
            cloudwatch.GraphWidget(title="Duration", left=[checkout.metric_duration(statistic="p99")], width=12),
        )
        dashboard.add_widgets(cloudwatch.AlarmStatusWidget(alarms=[failing, slow], width=24))


app = cdk.App()
CheckoutHealthStack(app, "CheckoutHealth")
app.synth()
