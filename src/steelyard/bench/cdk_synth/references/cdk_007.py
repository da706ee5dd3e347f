import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct


class ErrorWatchStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        topic = sns.Topic(self, "OnCall", display_name="On call")
        topic.add_subscription(subscriptions.EmailSubscription("oncall@example.com"))

        log_group = logs.LogGroup(
            self,
            "ApplicationLogs",
            log_group_name="/shop/application",
            retention=logs.RetentionDays.ONE_MONTH,
        )
        errors = log_group.add_metric_filter(
            "Errors",
            filter_pattern=logs.FilterPattern.literal("ERROR"),
            metric_namespace="Shop",
            metric_name="ApplicationErrors",
            metric_value="1",
            default_value=0,
        )
        alarm = cloudwatch.Alarm(
            self,
            "TooManyErrors",
            metric=errors.metric(statistic="Sum", period=cdk.Duration.minutes(5)),
            threshold=10,
            evaluation_periods=2,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        alarm.add_alarm_action(actions.SnsAction(topic))


app = cdk.App()
ErrorWatchStack(app, "ErrorWatch")
app.synth()
