import json

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn

FIELDS = ("keys", "size", "total", "kept", "out")


def fields(following: str, **changed: object) -> dict[str, object]:
    """A Pass state with every field; paths and functions are texts, anything else is a value."""
    values = {name: f"$.{name}" for name in FIELDS} | changed
    parameters = {f"{name}.$" if isinstance(value, str) else name: value for name, value in values.items()}
    return {"Type": "Pass", "Parameters": parameters, "Next": following}


def minus(value: str) -> str:
    return f"States.StringToJson(States.Format('-{{}}', {value}))"


# `kept` is newest first and in chunks of the cache's size: the second chunk is what does not fit.
# Whatever is not a hit is in `kept` or in `out` at the end.
HITS = f"States.MathAdd($.total, {minus('States.ArrayLength($.all[*][*])')})"
LAST = "States.MathAdd(States.ArrayLength($.kept[0]), -1)"
states = {
    "Start": fields("More", total="States.ArrayLength($.keys)", kept=[[]], out=[]),
    "More": {
        "Type": "Choice",
        "Choices": [{"Variable": "$.keys[0]", "IsPresent": True, "Next": "Join"}],
        "Default": "Show",
    },
    "Join": fields(
        "Touch",
        keys="$.keys[1:]",
        kept="States.Array($.keys[0:1], $.kept[0])",
        out="States.Array($.out, $.kept[1:][*])",
    ),
    "Touch": fields(
        "More", kept="States.ArrayPartition(States.ArrayUnique($.kept[*][*]), $.size)", out="$.out[*][*]"
    ),
    # Every round gives one key, the oldest first, and the two other results.
    "Show": {
        "Type": "Map",
        "ItemsPath": "$.kept[0]",
        "ItemSelector": {
            "total.$": "$.total",
            "kept.$": "$.kept[0]",
            "out.$": "States.Array($.out, $.kept[1:][*])",
            "all.$": "States.Array($.out, $.kept[*][*])",
            "place.$": f"States.MathAdd({LAST}, {minus('$$.Map.Item.Index')})",
        },
        "ItemProcessor": {
            "StartAt": "One",
            "States": {
                "One": {
                    "Type": "Pass",
                    "Parameters": {
                        "key.$": "States.ArrayGetItem($.kept, $.place)",
                        "out.$": "$.out[*][*]",
                        "hits.$": HITS,
                    },
                    "End": True,
                }
            },
        },
        "ResultSelector": {"kept.$": "$[*].key", "evicted.$": "$[0].out", "hits.$": "$[0].hits"},
        "End": True,
    },
}

app = cdk.App()
stack = cdk.Stack(app, "Cache")
sfn.StateMachine(
    stack,
    "Machine",
    state_machine_name="predict",
    definition_body=sfn.DefinitionBody.from_string(json.dumps({"StartAt": "Start", "States": states})),
)

app.synth()
