import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_stepfunctions as sfn

app = cdk.App()
stack = cdk.Stack(app, "Checkout")
charge, ship, refund = (
    lambda_.Function(
        stack,
        name,
        runtime=lambda_.Runtime.PYTHON_3_12,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context):\n    return {}\n"),
        environment={"STEP": name},
    )
    for name in ("ChargeFunction", "ShipFunction", "RefundFunction")
)
definition = {
    "StartAt": "Charge",
    "States": {
        "Charge": {
            "Type": "Task",
            "Resource": charge.function_arn,
            "Retry": [
                {"ErrorEquals": ["CardDeclined"], "MaxAttempts": 0},
                {
                    "ErrorEquals": ["Lambda.TooManyRequestsException", "PaymentBusy"],
                    "IntervalSeconds": 2,
                    "MaxAttempts": 5,
                    "BackoffRate": 2.0,
                },
                {"ErrorEquals": ["States.ALL"], "MaxAttempts": 2},
            ],
            "ResultPath": "$.payment",
            "Catch": [
                {"ErrorEquals": ["CardDeclined"], "ResultPath": "$.error", "Next": "Declined"},
                {"ErrorEquals": ["States.ALL"], "ResultPath": "$.error", "Next": "Refund"},
            ],
            "Next": "Ship",
        },
        "Ship": {
            "Type": "Task",
            "Resource": ship.function_arn,
            "ResultPath": "$.shipment",
            "Catch": [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.error", "Next": "Refund"}],
            "End": True,
        },
        "Refund": {"Type": "Task", "Resource": refund.function_arn, "Next": "Failed"},
        "Failed": {"Type": "Fail", "Error": "Refunded", "Cause": "the order was refunded"},
        "Declined": {"Type": "Fail", "Error": "CardDeclined"},
    },
}
role = iam.Role(stack, "Role", assumed_by=iam.ServicePrincipal("states.amazonaws.com"))
role.add_to_policy(
    iam.PolicyStatement(
        actions=["lambda:InvokeFunction"],
        resources=[charge.function_arn, ship.function_arn, refund.function_arn],
    )
)
sfn.CfnStateMachine(stack, "Machine", role_arn=role.role_arn, definition_string=stack.to_json_string(definition))

app.synth()
