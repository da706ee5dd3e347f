import json

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn

GROUP = "$.groups[0]"
# `left` and `taken` are the rows from the one that is looked at on; what is taken in those before it is in `past`.
FIELDS = ("rows", "todo", "groups", "left", "taken", "past", "number", "seats", "standing", "zeros")


def fields(following: str, **changed: object) -> dict[str, object]:
    """A Pass state with every field; paths and functions are texts, anything else is a value."""
    values = {name: f"$.{name}" for name in FIELDS} | changed
    parameters = {f"{name}.$" if isinstance(value, str) else name: value for name, value in values.items()}
    return {"Type": "Pass", "Parameters": parameters, "Next": following}


NEXT_GROUP = {"groups": "$.groups[1:]", "left": "$.rows", "past": [], "number": 1}
states = {
    "Start": fields(
        "Prepare", todo="$.rows", left="$.rows", taken=[], past=[], number=1, seats=[], standing=[], zeros=[0]
    ),
    # Lists to be read with `[*][*]`; a slice of one element is empty where an index would fail.
    "Prepare": {
        "Type": "Pass",
        "Parameters": {
            "zero.$": "States.Array($.taken, $.zeros)",
            "past.$": "States.Array($.past, $.taken[0:1])",
            "standing.$": "States.Array($.standing, $.groups[0:1].name)",
        },
        "ResultPath": "$.next",
        "Next": "Where",
    },
    "Where": {
        "Type": "Choice",
        "Choices": [
            {"Variable": "$.todo[0]", "IsPresent": True, "Next": "Zero"},
            {"Variable": GROUP, "IsPresent": False, "Next": "Done"},
            {"Variable": f"{GROUP}.name", "IsPresent": False, "Next": "No name"},
            {"Variable": "$.left[0]", "IsPresent": False, "Next": "Stand"},
        ],
        "Default": "Add",
    },
    "Zero": fields("Prepare", todo="$.todo[1:]", taken="$.next.zero[*][*]"),
    "No name": {"Type": "Fail", "Error": "NoName"},
    "Add": {
        "Type": "Pass",
        "Parameters": {
            "sum.$": f"States.MathAdd($.taken[0], {GROUP}.size)",
            "taken.$": f"States.Array($.past, States.Array(States.MathAdd($.taken[0], {GROUP}.size)), $.taken[1:])",
            "seats.$": f"States.Array($.seats, States.Array(States.Array({GROUP}.name, $.number)))",
        },
        "ResultPath": "$.seated",
        "Next": "Fits",
    },
    "Fits": {
        "Type": "Choice",
        "Choices": [{"Variable": "$.seated.sum", "NumericLessThanEqualsPath": "$.left[0]", "Next": "Sit"}],
        "Default": "Pass by",
    },
    "Sit": fields("Prepare", taken="$.seated.taken[*][*]", seats="$.seated.seats[*][*]", **NEXT_GROUP),
    "Stand": fields("Prepare", taken="$.past", standing="$.next.standing[*][*]", **NEXT_GROUP),
    "Pass by": fields(
        "Prepare",
        left="$.left[1:]",
        taken="$.taken[1:]",
        past="$.next.past[*][*]",
        number="States.MathAdd($.number, 1)",
    ),
    "Done": {
        "Type": "Pass",
        "Parameters": {"seats.$": "$.seats", "standing.$": "$.standing", "taken.$": "$.taken"},
        "End": True,
    },
}

app = cdk.App()
stack = cdk.Stack(app, "Theatre")
sfn.StateMachine(
    stack,
    "Machine",
    state_machine_name="seating",
    definition_body=sfn.DefinitionBody.from_string(json.dumps({"StartAt": "Start", "States": states})),
)

app.synth()
