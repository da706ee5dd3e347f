import json

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn

FIRST = "$.till[0]"
REST = "$.till[1:]"
# The first entry with one coin less: an object is made from a text, in which braces are escaped.
COUNT = f"States.Format('\\{{\"count\":{{}}\\}}', States.MathAdd({FIRST}.count, -1))"
LESS = f"States.JsonMerge({FIRST}, States.StringToJson({COUNT}), false)"


def fields(following: str, **changed: object) -> dict[str, object]:
    """A Pass state with every field; paths and functions are texts, anything else is a value."""
    values = {name: f"$.{name}" for name in ("paid", "sum", "till", "past", "coins")} | changed
    parameters = {f"{name}.$" if isinstance(value, str) else name: value for name, value in values.items()}
    return {"Type": "Pass", "Parameters": parameters, "Next": following}


states = {
    # The price and the coins given add up to what was paid.
    "Start": fields("More", sum="$.price", past=[], coins=[]),
    "More": {
        "Type": "Choice",
        "Choices": [
            {"Variable": "$.sum", "NumericGreaterThanPath": "$.paid", "Next": "Too little"},
            {"Variable": FIRST, "IsPresent": True, "Next": "Try"},
            {"Variable": "$.sum", "NumericEqualsPath": "$.paid", "Next": "Done"},
        ],
        "Default": "No change",
    },
    "Too little": {"Type": "Fail", "Error": "TooLittle"},
    "No change": {"Type": "Fail", "Error": "NoChange"},
    "Try": {
        "Type": "Pass",
        "Parameters": {
            "sum.$": f"States.MathAdd($.sum, {FIRST}.coin)",
            "coins.$": f"States.Array($.coins, States.Array({FIRST}.coin))",
            "till.$": f"States.Array(States.Array({LESS}), {REST})",
            "past.$": f"States.Array($.past, States.Array({FIRST}))",
        },
        "ResultPath": "$.next",
        "Next": "Fits",
    },
    "Fits": {
        "Type": "Choice",
        "Choices": [
            {
                "And": [
                    {"Variable": f"{FIRST}.count", "NumericGreaterThan": 0},
                    {"Variable": "$.next.sum", "NumericLessThanEqualsPath": "$.paid"},
                ],
                "Next": "Give",
            }
        ],
        "Default": "Skip",
    },
    "Give": fields("Try", sum="$.next.sum", coins="$.next.coins[*][*]", till="$.next.till[*][*]"),
    "Skip": fields("More", till=REST, past="$.next.past[*][*]"),
    "Done": {"Type": "Pass", "Parameters": {"coins.$": "$.coins", "till.$": "$.past"}, "End": True},
}

app = cdk.App()
stack = cdk.Stack(app, "Till")
sfn.StateMachine(
    stack,
    "Machine",
    state_machine_name="change",
    definition_body=sfn.DefinitionBody.from_string(json.dumps({"StartAt": "Start", "States": states})),
)

app.synth()
