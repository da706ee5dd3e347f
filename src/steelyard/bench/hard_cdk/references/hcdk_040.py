import json

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn

TEAM, HEAD = "$.teams[0]", "$.sorted[0]"
FIELDS = ("teams", "front", "sorted", "table", "count", "place", "last")


def fields(following: str, **changed: object) -> dict[str, object]:
    """A Pass state with every field; paths and functions are texts, anything else is a value."""
    values = {name: f"$.{name}" for name in FIELDS} | changed
    parameters = {f"{name}.$" if isinstance(value, str) else name: value for name, value in values.items()}
    return {"Type": "Pass", "Parameters": parameters, "Next": following}


def equal(one: str, other: str) -> list[dict[str, str]]:
    return [{"Variable": f"{one}.{key}", "NumericEqualsPath": f"{other}.{key}"} for key in ("points", "goals")]


def appended(place: str) -> str:
    return f"States.Array($.table, States.Array(States.Array({place}, $.sorted[0:1])))"


states = {
    "Start": fields(
        "Try", front=[], sorted=[], table=[], count=0, place=0, last={"points": 0, "goals": 0}
    ),
    # Insertion: the next team passes those that are as good, so that equals keep their order. A slice of one element
    # is empty where an index would fail.
    "Try": {
        "Type": "Pass",
        "Parameters": {
            "front.$": "States.Array($.front, $.sorted[0:1])",
            "sorted.$": "States.Array($.front, $.teams[0:1], $.sorted)",
        },
        "ResultPath": "$.next",
        "Next": "Better",
    },
    "Better": {
        "Type": "Choice",
        "Choices": [
            {"Variable": TEAM, "IsPresent": False, "Next": "Count"},
            {"Variable": HEAD, "IsPresent": False, "Next": "Insert"},
            {"Variable": f"{TEAM}.points", "NumericGreaterThanPath": f"{HEAD}.points", "Next": "Insert"},
            {
                "And": [
                    equal(TEAM, HEAD)[0],
                    {"Variable": f"{TEAM}.goals", "NumericGreaterThanPath": f"{HEAD}.goals"},
                ],
                "Next": "Insert",
            },
        ],
        "Default": "Pass by",
    },
    "Pass by": fields("Try", front="$.next.front[*][*]", sorted="$.sorted[1:]"),
    "Insert": fields("Try", teams="$.teams[1:]", front=[], sorted="$.next.sorted[*][*]"),
    "Count": {
        "Type": "Pass",
        "Parameters": {
            "count.$": "States.MathAdd($.count, 1)",
            "shared.$": appended("$.place"),
            "own.$": appended("States.MathAdd($.count, 1)"),
        },
        "ResultPath": "$.next",
        "Next": "Tie",
    },
    "Tie": {
        "Type": "Choice",
        "Choices": [
            {"Variable": HEAD, "IsPresent": False, "Next": "Rows"},
            {
                "And": [{"Variable": "$.count", "NumericGreaterThan": 0}, *equal(HEAD, "$.last")],
                "Next": "Shared",
            },
        ],
        "Default": "Own",
    },
    "Shared": fields(
        "Count", sorted="$.sorted[1:]", table="$.next.shared[*][*]", count="$.next.count", last=HEAD
    ),
    "Own": fields(
        "Count",
        sorted="$.sorted[1:]",
        table="$.next.own[*][*]",
        count="$.next.count",
        place="$.next.count",
        last=HEAD,
    ),
    "Rows": {
        "Type": "Map",
        "ItemsPath": "$.table",
        "ItemProcessor": {
            "ProcessorConfig": {"Mode": "INLINE"},
            "StartAt": "Row",
            "States": {
                "Row": {
                    "Type": "Pass",
                    "Parameters": {"place.$": "$[0]", "name.$": "$[1][0].name", "points.$": "$[1][0].points"},
                    "End": True,
                }
            },
        },
        "ResultPath": "$.table",
        "Next": "Done",
    },
    "Done": {
        "Type": "Pass",
        "Parameters": {"table.$": "$.table", "leaders.$": "$.table[?(@.place == 1)].name"},
        "End": True,
    },
}

app = cdk.App()
stack = cdk.Stack(app, "League")
sfn.StateMachine(
    stack,
    "Machine",
    state_machine_name="league",
    definition_body=sfn.DefinitionBody.from_string(json.dumps({"StartAt": "Start", "States": states})),
)

app.synth()
