import aws_cdk as cdk
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct


class HeartbeatStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        undelivered = sqs.Queue(self, "Undelivered")
        probe = lambda_.Function(
            self,
            "Probe",
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline("def handler(event, context):\n    return {'alive': True}\n"),
        )
        events.Rule(
            self,
            "EveryQuarterHour",
            schedule=events.Schedule.rate(cdk.Duration.minutes(15)),
            targets=[
                targets.LambdaFunction(
                    probe,
                    retry_attempts=2,
                    max_event_age=cdk.Duration.hours(1),
                    dead_letter_queue=undelivered,
                )
            ],
        )


app = cdk.App()
HeartbeatStack(app, "Heartbeat")
app.synth()
