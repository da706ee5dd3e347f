import json

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn

# A task is ready if its needs add nothing to what is done, and it is not done itself.
NEW = "States.ArrayLength(States.ArrayUnique($.both[*][*]))"
SAME = f"States.ArrayLength(States.ArrayUnique(States.Array({NEW}, $.known)))"
states = {
    "Start": {"Type": "Pass", "Parameters": {"tasks.$": "$.tasks", "done": []}, "Next": "Look"},
    "Look": {
        "Type": "Map",
        "ItemsPath": "$.tasks",
        "ItemSelector": {
            "name.$": "$$.Map.Item.Value.name",
            "done.$": "$.done[*][*]",
            "both.$": "States.Array($.done[*][*], $$.Map.Item.Value.needs)",
            "known.$": "States.ArrayLength($.done[*][*])",
        },
        "ItemProcessor": {
            "StartAt": "Test",
            "States": {
                "Test": {
                    "Type": "Pass",
                    "Parameters": {
                        "name.$": "$.name",
                        "done.$": "States.ArrayContains($.done, $.name)",
                        "state.$": f"States.Format('{{}}{{}}', {SAME}, States.ArrayContains($.done, $.name))",
                    },
                    "End": True,
                }
            },
        },
        "ResultSelector": {
            "ready.$": "$[?(@.state == '1false')].name",
            "left.$": "$[?(@.done == false)].name",
        },
        "ResultPath": "$.found",
        "Next": "Which",
    },
    "Which": {
        "Type": "Choice",
        "Choices": [
            {"Variable": "$.found.ready[0]", "IsPresent": True, "Next": "Add"},
            {"Variable": "$.found.left[0]", "IsPresent": True, "Next": "Stuck"},
        ],
        "Default": "Done",
    },
    "Add": {
        "Type": "Pass",
        "Parameters": {
            "tasks.$": "$.tasks",
            "done.$": "States.Array($.done[*][*], $.found.ready[0:1])",
        },
        "Next": "Look",
    },
    "Stuck": {"Type": "Fail", "Error": "Stuck"},
    "Done": {"Type": "Pass", "Parameters": {"order.$": "$.done[*][*]"}, "End": True},
}

app = cdk.App()
stack = cdk.Stack(app, "Plan")
sfn.StateMachine(
    stack,
    "Machine",
    state_machine_name="plan",
    definition_body=sfn.DefinitionBody.from_string(json.dumps({"StartAt": "Start", "States": states})),
)

app.synth()
