import json
from datetime import date, timedelta

import aws_cdk as cdk
from aws_cdk import aws_stepfunctions as sfn

FIRST = date(2024, 1, 1)
DATES = [(FIRST + timedelta(days=number)).isoformat() for number in range(8 * 366)]
# Where the months begin in DATES, minus 101: the day of the month is read with a 1 before it.
MONTHS = [[(date(year, month, 1) - FIRST).days - 101 for month in range(1, 13)] for year in range(2024, 2032)]
MOST_HOLIDAYS = 20


def item(array: str, index: str) -> str:
    return f"States.ArrayGetItem({array}, {index})"


def total(*values: str) -> str:
    return f"States.MathAdd({', '.join(values)})"


def number(place: int) -> str:
    """Part of the date with a 1 before it: a number that begins with 0 is not JSON."""
    part = item("States.StringSplit($.from, '-')", str(place))
    return f"States.StringToJson(States.Format('1{{}}', {part}))"


MONTH = item(
    item(f"States.StringToJson('{json.dumps(MONTHS)}')", total(number(0), "-12024")), total(number(1), "-101")
)
states = {
    "Read": {
        "Type": "Pass",
        "Parameters": {
            "place.$": total(total(MONTH, number(2)), "$.days"),
            "holidays.$": "$.holidays",
            "dates": DATES,
            "steps": list(range(MOST_HOLIDAYS + 1)),
        },
        "Next": "Try",
    },
    # Every day that may be the one, and of these the first that is no holiday.
    "Try": {
        "Type": "Map",
        "ItemsPath": "$.steps",
        "ItemSelector": {
            "date.$": item("$.dates", total("$.place", "$$.Map.Item.Value")),
            "holidays.$": "$.holidays",
        },
        "ItemProcessor": {
            "StartAt": "Look",
            "States": {
                "Look": {
                    "Type": "Pass",
                    "Parameters": {"date.$": "$.date", "off.$": "States.ArrayContains($.holidays, $.date)"},
                    "End": True,
                }
            },
        },
        "ResultSelector": {"due.$": item("$[?(@.off == false)].date", "0")},
        "End": True,
    },
}

app = cdk.App()
stack = cdk.Stack(app, "Deadlines")
sfn.StateMachine(
    stack,
    "Machine",
    state_machine_name="deadlines",
    definition_body=sfn.DefinitionBody.from_string(json.dumps({"StartAt": "Read", "States": states})),
)

app.synth()
