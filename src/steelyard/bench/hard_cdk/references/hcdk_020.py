import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks

app = cdk.App()
stack = cdk.Stack(app, "Checkout")


def function(name):
    return lambda_.Function(
        stack,
        f"{name}-function",
        function_name=name,
        runtime=lambda_.Runtime.PYTHON_3_12,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context):\n    return event\n"),
    )


reserve, charge, ship, release = (function(name) for name in ("reserve", "charge", "ship", "release"))
seconds = cdk.Duration.seconds
at = sfn.JsonPath.object_at


def step(name, fn, payload=None, **props):
    return tasks.LambdaInvoke(
        stack,
        name,
        lambda_function=fn,
        payload=payload and sfn.TaskInput.from_object(payload),
        payload_response_only=True,
        retry_on_service_exceptions=False,
        **props,
    )


reserve_step = step("Reserve", reserve, result_path="$.reservation")
charge_step = step(
    "Charge", charge, {"order": at("$.order"), "token": at("$.reservation.token")}, result_path="$.payment"
)
ship_step = step(
    "Ship",
    ship,
    {"id": at("$.order.id"), "customer": at("$.customer"), "paid": at("$.payment.amount")},
    result_path="$.shipment",
)
for one in (reserve_step, ship_step):
    one.add_retry(errors=["OutOfStock"], max_attempts=0)
    one.add_retry(errors=["States.ALL"], interval=seconds(5), max_attempts=2, backoff_rate=2)
charge_step.add_retry(
    errors=["Throttled"], interval=seconds(3), max_attempts=4, backoff_rate=2, max_delay=seconds(10)
)
charge_step.add_retry(
    errors=["Lambda.TooManyRequestsException"], interval=seconds(1), max_attempts=2, backoff_rate=1
)

stuck = sfn.Fail(stack, "Stuck", error="Stuck")


def releasing(name, error):
    one = step(
        name, release, {"id": at("$.order.id"), "reason": at("$.failure.Error")}, result_path=sfn.JsonPath.DISCARD
    )
    one.add_retry(errors=["States.ALL"], interval=seconds(1), max_attempts=6, backoff_rate=1)
    one.add_catch(stuck, errors=["States.ALL"])
    one.next(sfn.Fail(stack, error, error=error))
    return one


reserve_step.add_catch(sfn.Fail(stack, "OutOfStock", error="OutOfStock"), errors=["OutOfStock"])
reserve_step.add_catch(sfn.Fail(stack, "NotReserved", error="NotReserved"), errors=["States.ALL"])
charge_step.add_catch(releasing("ReleaseUnpaid", "NotPaid"), errors=["States.ALL"], result_path="$.failure")
ship_step.add_catch(releasing("ReleaseUnshipped", "NotShipped"), errors=["States.ALL"], result_path="$.failure")

free = sfn.Pass(stack, "Nothing to pay", result=sfn.Result.from_object({"amount": 0}), result_path="$.payment")
done = sfn.Pass(stack, "Done", parameters={"id": at("$.order.id"), "shipment": at("$.shipment")})
ship_step.next(done)
free.next(ship_step)
charge_step.next(ship_step)
definition = reserve_step.next(
    sfn.Choice(stack, "Free")
    .when(
        sfn.Condition.or_(
            sfn.Condition.is_not_present("$.order.total"), sfn.Condition.number_equals("$.order.total", 0)
        ),
        free,
    )
    .otherwise(charge_step)
)
sfn.StateMachine(
    stack,
    "Machine",
    state_machine_name="checkout",
    definition_body=sfn.DefinitionBody.from_chainable(definition),
)
app.synth()
