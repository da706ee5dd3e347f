import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

CODE = "def handler(event, context):\n    return event\n"


class TravelSagaStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        book_flight = self._invoke("BookFlight")
        book_hotel = self._invoke("BookHotel")
        cancel_flight = self._invoke("CancelFlight")
        cancel_hotel = self._invoke("CancelHotel")

        approvals = sqs.Queue(self, "Approvals")
        approval = tasks.SqsSendMessage(
            self,
            "AskForApproval",
            queue=approvals,
            integration_pattern=sfn.IntegrationPattern.WAIT_FOR_TASK_TOKEN,
            message_body=sfn.TaskInput.from_object(
                {"token": sfn.JsonPath.task_token, "trip": sfn.JsonPath.string_at("$.tripId")}
            ),
            task_timeout=sfn.Timeout.duration(cdk.Duration.hours(24)),
            result_path="$.approval",
        )
        failed = sfn.Fail(self, "TripFailed", error="TripFailed", cause="A booking failed and was undone")
        undo = cancel_hotel.next(cancel_flight).next(failed)

        bookings = sfn.Parallel(self, "Bookings", result_path="$.bookings")
        bookings.branch(book_flight, book_hotel)
        bookings.add_catch(undo, errors=["States.ALL"], result_path="$.failure")

        sfn.StateMachine(
            self,
            "TravelSaga",
            definition_body=sfn.DefinitionBody.from_chainable(
                approval.next(bookings).next(sfn.Succeed(self, "TripBooked"))
            ),
            timeout=cdk.Duration.hours(48),
        )

    def _invoke(self, name: str) -> tasks.LambdaInvoke:
        function = lambda_.Function(
            self,
            f"{name}Function",
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline(CODE),
        )
        task = tasks.LambdaInvoke(
            self,
            name,
            lambda_function=function,
            retry_on_service_exceptions=False,
            result_path=sfn.JsonPath.DISCARD,
        )
        task.add_retry(errors=["States.TaskFailed"], max_attempts=2, interval=cdk.Duration.seconds(5), backoff_rate=2)
        return task


app = cdk.App()
TravelSagaStack(app, "TravelSaga")
app.synth()
