import json

import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_stepfunctions as sfn

app = cdk.App()
stack = cdk.Stack(app, "Review")
table = dynamodb.Table(
    stack,
    "Verdicts",
    partition_key=dynamodb.Attribute(name="id", type=dynamodb.AttributeType.STRING),
    billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
)
scan = lambda_.Function(
    stack,
    "Scan",
    runtime=lambda_.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=lambda_.Code.from_inline("def handler(event, context):\n    return {'flags': []}\n"),
    environment={"TABLE": table.table_name},
)
table.grant_write_data(scan)
role = iam.Role(stack, "Role", assumed_by=iam.ServicePrincipal("states.amazonaws.com"))
scan.grant_invoke(role)


def verdict(name):
    return {"Type": "Pass", "Parameters": {"id.$": "$.id", "verdict": name.lower()}, "End": True}


judge_one = {
    "StartAt": "Pages",
    "States": {
        "Pages": {
            "Type": "Choice",
            "Choices": [{"Variable": "$.pages[0]", "IsPresent": True, "Next": "Scan"}],
            "Default": "Clean",
        },
        "Scan": {
            "Type": "Task",
            "Resource": scan.function_arn,
            "Parameters": {"id.$": "$.id", "pages.$": "$.pages", "first.$": "$.pages[0]"},
            "ResultSelector": {
                "flags.$": "$.flags",
                "count.$": "States.ArrayLength($.flags)",
                "virus.$": "States.ArrayContains($.flags, 'virus')",
            },
            "ResultPath": "$.scan",
            "Retry": [{"ErrorEquals": ["Busy"], "IntervalSeconds": 1, "MaxAttempts": 2, "BackoffRate": 3}],
            "Catch": [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.error", "Next": "Failed"}],
            "Next": "Judge",
        },
        "Judge": {
            "Type": "Choice",
            "Choices": [
                {
                    "Or": [
                        {"Variable": "$.scan.virus", "BooleanEquals": True},
                        {"Variable": "$.scan.count", "NumericGreaterThanEquals": 3},
                    ],
                    "Next": "Blocked",
                },
                {"Variable": "$.scan.count", "NumericGreaterThanEquals": 1, "Next": "Review"},
            ],
            "Default": "Clean",
        },
        "Blocked": verdict("Blocked"),
        "Review": verdict("Review"),
        "Clean": verdict("Clean"),
        "Failed": verdict("Failed"),
    },
}
definition = {
    "StartAt": "Batch",
    "States": {
        "Batch": {
            "Type": "Choice",
            "Choices": [{"Variable": "$.batch", "IsPresent": True, "Next": "Each"}],
            "Default": "Wrap",
        },
        "Wrap": {"Type": "Pass", "Parameters": {"batch.$": "States.Array($)", "single": True}, "Next": "Each"},
        "Each": {
            "Type": "Map",
            "ItemsPath": "$.batch",
            "ItemProcessor": {"ProcessorConfig": {"Mode": "INLINE"}, **judge_one},
            "ResultPath": "$.all",
            "Next": "Single",
        },
        "Single": {
            "Type": "Choice",
            "Choices": [
                {
                    "And": [
                        {"Variable": "$.single", "IsPresent": True},
                        {"Variable": "$.all[0].verdict", "StringEquals": "failed"},
                    ],
                    "Next": "ScanFailed",
                },
                {"Variable": "$.single", "IsPresent": True, "Next": "One"},
            ],
            "Default": "Several",
        },
        "ScanFailed": {"Type": "Fail", "Error": "ScanFailed"},
        "One": {"Type": "Pass", "OutputPath": "$.all[0]", "End": True},
        "Several": {
            "Type": "Pass",
            "Parameters": {
                "results.$": "$.all[?(@.verdict != 'failed')]",
                "blocked.$": "$.all[?(@.verdict == 'blocked')].id",
                "failed.$": "$.all[?(@.verdict == 'failed')].id",
            },
            "End": True,
        },
    },
}
sfn.CfnStateMachine(
    stack, "Machine", role_arn=role.role_arn, definition_string=stack.to_json_string(definition)
)
app.synth()
