import json

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn

FIELDS = ("capacity", "parcels", "lorries", "loads", "refused", "current", "load", "held")
FIRST = "$.parcels[0]"
REST = "$.parcels[1:]"


def with_fields(**changed: object) -> dict[str, object]:
    """Parameters with every field; paths and functions are texts, anything else is a value."""
    values = {name: f"$.{name}" for name in FIELDS} | changed
    return {f"{name}.$" if isinstance(value, str) else name: value for name, value in values.items()}


def appended(items: str, new: str) -> str:
    """Two lists in a list, to be read with `[*][*]`: there is no function that appends."""
    return f"States.Array({items}, States.Array({new}))"


states = {
    "Start": {
        "Type": "Pass",
        "Parameters": with_fields(lorries=[], loads=[], refused=[], current=[], load=0, held=0),
        "Next": "More",
    },
    "More": {
        "Type": "Choice",
        "Choices": [
            {
                "And": [{"Variable": FIRST, "IsPresent": False}, {"Variable": "$.held", "NumericEquals": 0}],
                "Next": "Done",
            },
            {"Variable": FIRST, "IsPresent": False, "Next": "Last"},
            {"Variable": f"{FIRST}.size", "IsPresent": False, "Next": "Bad"},
            {"Variable": f"{FIRST}.size", "NumericLessThan": 0, "Next": "Bad"},
        ],
        "Default": "Try",
    },
    "Bad": {"Type": "Fail", "Error": "BadParcel", "Cause": "the size is missing or negative"},
    "Try": {
        "Type": "Pass",
        "Parameters": {
            "load.$": f"States.MathAdd($.load, {FIRST}.size)",
            "held.$": "States.MathAdd($.held, 1)",
            "current.$": appended("$.current", f"{FIRST}.id"),
            "refused.$": appended("$.refused", f"{FIRST}.id"),
            "lorries.$": appended("$.lorries", "$.current"),
            "loads.$": appended("$.loads", "$.load"),
        },
        "ResultPath": "$.next",
        "Next": "Where",
    },
    "Where": {
        "Type": "Choice",
        "Choices": [
            {"Variable": f"{FIRST}.size", "NumericGreaterThanPath": "$.capacity", "Next": "Refuse"},
            {
                "And": [
                    {"Variable": "$.next.load", "NumericLessThanEqualsPath": "$.capacity"},
                    {"Variable": "$.held", "NumericLessThan": 3},
                ],
                "Next": "Load",
            },
        ],
        "Default": "Leave",
    },
    "Refuse": {
        "Type": "Pass",
        "Parameters": with_fields(parcels=REST, refused="$.next.refused[*][*]"),
        "Next": "More",
    },
    "Load": {
        "Type": "Pass",
        "Parameters": with_fields(
            parcels=REST, current="$.next.current[*][*]", load="$.next.load", held="$.next.held"
        ),
        "Next": "More",
    },
    "Leave": {
        "Type": "Pass",
        "Parameters": with_fields(
            lorries="$.next.lorries[*][*]", loads="$.next.loads[*][*]", current=[], load=0, held=0
        ),
        "Next": "Try",
    },
    "Last": {
        "Type": "Pass",
        "Parameters": with_fields(
            lorries=appended("$.lorries", "$.current"), loads=appended("$.loads", "$.load")
        ),
        "Next": "Done",
    },
    # Without a last lorry there was none at all, and both lists are empty either way.
    "Done": {
        "Type": "Pass",
        "Parameters": {"lorries.$": "$.lorries[*][*]", "loads.$": "$.loads[*][*]", "refused.$": "$.refused"},
        "End": True,
    },
}

app = cdk.App()
stack = cdk.Stack(app, "Packing")
sfn.StateMachine(
    stack,
    "Machine",
    state_machine_name="packing",
    definition_body=sfn.DefinitionBody.from_string(json.dumps({"StartAt": "Start", "States": states})),
)

app.synth()
