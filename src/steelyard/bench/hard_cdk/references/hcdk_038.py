import json

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn

FIELDS = ("bookings", "open", "close", "blocks", "start", "end", "busy", "longest")
FIRST = "$.bookings[0]"
REST = "$.bookings[1:]"
# A range has at most a thousand elements: the even and the odd minutes are counted apart.
EVEN = "States.ArrayLength(States.ArrayRange($.start, $.end, 2))"
ODD = "States.ArrayLength(States.ArrayRange(States.MathAdd($.start, 1), $.end, 2))"
LENGTH = f"States.MathAdd(States.MathAdd({EVEN}, {ODD}), -1)"


def fields(following: str, **changed: object) -> dict[str, object]:
    """A Pass state with every field; paths and functions are texts, anything else is a value."""
    values = {name: f"$.{name}" for name in FIELDS} | changed
    parameters = {f"{name}.$" if isinstance(value, str) else name: value for name, value in values.items()}
    return {"Type": "Pass", "Parameters": parameters, "Next": following}


def both(*rules: dict[str, object]) -> dict[str, object]:
    return {"And": list(rules)}


GONE = {"Variable": FIRST, "IsPresent": False}
NO_BLOCK = {"Variable": "$.start", "NumericEqualsPath": "$.end"}
TOUCHES = {"Variable": f"{FIRST}.from", "NumericLessThanEqualsPath": "$.end"}
states = {
    "Start": fields("More", blocks=[], start="$.open", end="$.open", busy=0, longest=0),
    "More": {
        "Type": "Choice",
        "Choices": [
            {**both(GONE, NO_BLOCK), "Next": "Done"},
            {**GONE, "Next": "Finish"},
            {"Variable": f"{FIRST}.to", "NumericLessThanPath": f"{FIRST}.from", "Next": "Bad"},
            {"Variable": f"{FIRST}.to", "NumericLessThanEqualsPath": "$.end", "Next": "Drop"},
            {"Variable": f"{FIRST}.from", "NumericGreaterThanEqualsPath": "$.close", "Next": "Drop"},
            {"Variable": f"{FIRST}.to", "NumericEqualsPath": f"{FIRST}.from", "Next": "Drop"},
            {
                **both(TOUCHES, {"Variable": f"{FIRST}.to", "NumericGreaterThanEqualsPath": "$.close"}),
                "Next": "Until close",
            },
            {**TOUCHES, "Next": "Until end"},
            {**NO_BLOCK, "Next": "Begin"},
        ],
        "Default": "Finish",
    },
    "Bad": {"Type": "Fail", "Error": "BadBooking"},
    "Drop": fields("More", bookings=REST),
    "Until close": fields("More", bookings=REST, end="$.close"),
    "Until end": fields("More", bookings=REST, end=f"{FIRST}.to"),
    "Begin": fields("More", start=f"{FIRST}.from", end=f"{FIRST}.from"),
    "Finish": {
        "Type": "Pass",
        "Parameters": {
            "length.$": LENGTH,
            "blocks.$": "States.Array($.blocks, States.Array(States.Array($.start, $.end)))",
        },
        "ResultPath": "$.block",
        "Next": "Longer",
    },
    "Longer": {
        "Type": "Choice",
        "Choices": [{"Variable": "$.block.length", "NumericGreaterThanPath": "$.longest", "Next": "Longest"}],
        "Default": "Store",
    },
    "Longest": {"Type": "Pass", "InputPath": "$.block.length", "ResultPath": "$.longest", "Next": "Store"},
    "Store": fields(
        "More",
        blocks="$.block.blocks[*][*]",
        busy="States.MathAdd($.busy, $.block.length)",
        start="$.end",
    ),
    "Done": {
        "Type": "Pass",
        "Parameters": {"blocks.$": "$.blocks", "busy.$": "$.busy", "longest.$": "$.longest"},
        "End": True,
    },
}

app = cdk.App()
stack = cdk.Stack(app, "Rooms")
sfn.StateMachine(
    stack,
    "Machine",
    state_machine_name="rooms",
    definition_body=sfn.DefinitionBody.from_string(json.dumps({"StartAt": "Start", "States": states})),
)

app.synth()
