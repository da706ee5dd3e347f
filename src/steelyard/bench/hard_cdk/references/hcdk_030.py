import json

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn

FIELDS = ("account", "lines", "cents", "sign", "whole")


def fields(following: str, **changed: object) -> dict[str, object]:
    """A Pass state with every field; paths and functions are texts, anything else is a value."""
    values = {name: f"$.{name}" for name in FIELDS} | changed
    parameters = {f"{name}.$" if isinstance(value, str) else name: value for name, value in values.items()}
    return {"Type": "Pass", "Parameters": parameters, "Next": following}


def item(array: str, index: object) -> str:
    return f"States.ArrayGetItem({array}, {index})"


def piece(text: str, mark: str, index: object) -> str:
    return item(f"States.StringSplit({text}, '{mark}')", index)


def read(form: str, value: str) -> str:
    """A number from a text."""
    return f"States.StringToJson(States.Format('{form}', {value}))"


def total(*values: str) -> str:
    return f"States.MathAdd({', '.join(values)})"


# One different name: the amount counts. Two: it does not. An exponent makes cents of it.
NAMES = f"States.ArrayLength(States.ArrayUnique(States.Array($.account, {piece('$.lines[0]', ';', 0)})))"
AMOUNT = item(f"States.Array(0, {piece('$.lines[0]', ';', 1)}, 0)", NAMES)
DIGITS = piece("'" + " ".join(f"{number:02}" for number in range(100)) + "'", " ", "$.cents")
states = {
    "Start": fields("More", cents=0, whole=0, sign="States.Format('')"),
    "More": {
        "Type": "Choice",
        "Choices": [
            {"Variable": "$.lines[0]", "IsPresent": True, "Next": "Add"},
            {"Variable": "$.cents", "NumericLessThan": 0, "Next": "Negative"},
            {"Variable": "$.cents", "NumericGreaterThanEquals": 100, "Next": "Down"},
        ],
        "Default": "Done",
    },
    "Add": fields("More", lines="$.lines[1:]", cents=total("$.cents", read("{}e2", AMOUNT))),
    "Negative": fields(
        "More",
        sign="States.Format('-')",
        cents=read("{}", piece("States.Format('{}', $.cents)", "-", 0)),
    ),
    "Down": fields("More", cents=total("$.cents", "-100"), whole=total("$.whole", "1")),
    "Done": {
        "Type": "Pass",
        "Parameters": {"balance.$": f"States.Format('{{}}{{}}.{{}}', $.sign, $.whole, {DIGITS})"},
        "End": True,
    },
}

app = cdk.App()
stack = cdk.Stack(app, "Ledger")
sfn.StateMachine(
    stack,
    "Machine",
    state_machine_name="balance",
    definition_body=sfn.DefinitionBody.from_string(json.dumps({"StartAt": "Start", "States": states})),
)

app.synth()
