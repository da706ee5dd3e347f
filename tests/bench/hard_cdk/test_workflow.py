"""State machines run on paper: paths, intrinsic functions, choices, retries and catchers as AWS documents them."""

from __future__ import annotations

import time
from typing import Any

import pytest

from steelyard.bench.hard_cdk.assertion.proviso import Undecided
from steelyard.bench.hard_cdk.assertion.workflow import execute
from steelyard.bench.hard_cdk.assertion.workflow.path import NoValue, select

DATA = {"a": {"b": [1, 2, 3]}, "list": [{"n": 1, "s": "x"}, {"n": 5}, {"n": 7, "s": "x"}], "odd name": True}
ARN = "arn:aws:lambda:eu-west-1:111122223333:function:f"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("$", DATA),
        ("$.a.b[0]", 1),
        ("$.a.b[-1]", 3),
        ("$.a.b[1:]", [2, 3]),
        ("$.a.b[0:1]", [1]),
        ("$.a.b[9:]", []),
        ("$['odd name']", True),
        ("$.list[*].n", [1, 5, 7]),
        ("$.list[?(@.n > 1)].n", [5, 7]),
        ("$.list[?(@.s == 'x' && @.n >= 7)].n", [7]),
        ("$.list[?(@.s)].n", [1, 7]),
        ("$.a.b[?(@ == 2)]", [2]),
    ],
)
def test_paths(path: str, value: Any) -> None:
    assert select(path, DATA) == value


@pytest.mark.parametrize("path", ["$.c", "$.a.b[3]", "$.a.b.c", "$.list[0].t"])
def test_a_path_to_one_value_fails_without_it(path: str) -> None:
    with pytest.raises(NoValue):
        select(path, DATA)


def passed(expression: str, value: Any) -> Any:
    """What one Pass state makes of an expression: its output, or the name of its error."""
    states = {"P": {"Type": "Pass", "Parameters": {"v.$": expression}, "End": True}}
    ended = execute({"StartAt": "P", "States": states}, value)
    return ended.error or ended.output["v"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("States.MathAdd($.n, -2)", 1),
        ("States.Array($.n, 'two', null, true, 1.5)", [3, "two", None, True, 1.5]),
        ("States.ArrayLength(States.ArrayRange(1, 9, 2))", 5),  # 1 3 5 7 9
        ("States.ArrayRange(1, 1001, 1)", "States.IntrinsicFailure"),  # one too many
        ("States.ArrayRange(0, 99999999999999999999, 1)", "States.IntrinsicFailure"),
        ("States.MathAdd(1e999, 1)", "States.IntrinsicFailure"),
        ("States.ArrayPartition($.l, 2)", [[1, 2], [3]]),
        ("States.ArrayGetItem($.l, 1)", 2),
        ("States.ArrayGetItem($.l, 3)", "States.IntrinsicFailure"),
        ("States.ArrayContains($.l, 3)", True),
        ("States.ArrayUnique(States.Array(1, 2, 1))", [1, 2]),
        ("States.Format('{}-{} \\{\\}', $.n, 'it\\'s')", "3-it's {}"),
        ("States.Format('{}', $.n, $.n)", "States.IntrinsicFailure"),
        ("States.StringToJson('\\{\"k\":1\\}')", {"k": 1}),
        ("States.JsonMerge($.o, States.StringToJson('\\{\"b\":2\\}'), false)", {"a": 1, "b": 2}),
        ("States.StringSplit('a,b;;c', ',;')", ["a", "b", "c"]),
        ("States.StringSplit('a,b', '')", "States.IntrinsicFailure"),
        ("States.Hash('abc', 'MD5')", "900150983cd24fb0d6963f7d28e17f72"),
        ("States.Base64Decode(States.Base64Encode('é'))", "é"),
        ("States.MathAdd('1', 2)", "States.IntrinsicFailure"),
        ("$.missing", "States.ParameterPathFailure"),
    ],
)
def test_intrinsic_functions(expression: str, value: Any) -> None:
    assert passed(expression, {"n": 3, "l": [1, 2, 3], "o": {"a": 1}}) == value


def chosen(rule: dict[str, Any], value: Any) -> Any:
    """Whether a rule holds; or the error of the execution."""
    states = {
        "C": {"Type": "Choice", "Choices": [{**rule, "Next": "Yes"}], "Default": "No"},
        "Yes": {"Type": "Pass", "Result": True, "End": True},
        "No": {"Type": "Pass", "Result": False, "End": True},
    }
    ended = execute({"StartAt": "C", "States": states}, value)
    return ended.error or ended.output


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ({"Variable": "$.n", "NumericLessThanPath": "$.m"}, True),
        ({"Variable": "$.t", "NumericEquals": 3}, False),  # a text is not a number
        ({"Variable": "$.b", "NumericEquals": 1}, False),  # nor is true
        ({"Variable": "$.t", "StringMatches": "a*c"}, True),
        ({"Variable": "$.t", "StringMatches": "abc"}, True),
        ({"Variable": "$.t", "StringMatches": "*b*"}, True),
        ({"Variable": "$.t", "StringMatches": "ab*bc"}, False),  # `b` cannot be both
        ({"Variable": "$.t", "StringMatches": "a*x*c"}, False),
        ({"Variable": "$.s", "StringMatches": "*s" * 30 + "x"}, False),  # ends at once
        ({"Variable": "$.s", "StringMatches": "s\\*"}, False),
        ({"Variable": "$.x", "IsPresent": False}, True),
        ({"Variable": "$.l[0]", "IsPresent": True}, False),
        ({"Variable": "$.x", "StringEquals": "a"}, "States.Runtime"),
        ({"And": [{"Variable": "$.n", "IsNumeric": True}, {"Not": {"Variable": "$.z", "IsNull": False}}]}, True),
        ({"Or": [{"Variable": "$.b", "BooleanEquals": False}, {"Variable": "$.n", "NumericGreaterThan": 9}]}, False),
    ],
)
def test_choices(rule: dict[str, Any], value: Any) -> None:
    assert chosen(rule, {"n": 3, "m": 4, "t": "abc", "s": "s" * 60, "b": True, "z": None, "l": []}) == value


def test_a_long_pattern_is_compared_at_once() -> None:
    rule = {"Variable": "$.t", "StringMatches": f"*{'a' * 30_000}b*"}
    before = time.process_time()
    assert chosen(rule, {"t": "a" * 250_000}) is False
    # A part that is tried at every place takes 19 s, which an execution could ask for 5,000 times.
    assert time.process_time() - before < 5


def each(*, state: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A Map of one state over `$.l`, and a state for what it catches."""
    inner = {"StartAt": "One", "States": {"One": state}}
    item = {"Type": "Map", "ItemsPath": "$.l", "ItemProcessor": inner, "End": True, **fields}
    return {"StartAt": "M", "States": {"M": item, "F": {"Type": "Fail", "Error": "Late"}}}


def test_catchers() -> None:
    def caught(error: str, name: str) -> str | None:
        catch = [{"ErrorEquals": [name], "ResultPath": "$.e", "Next": "F"}]
        return execute(each(state={"Type": "Fail", "Error": error}, Catch=catch), {"l": [1]}).error

    assert caught("X", "X") == caught("X", "States.TaskFailed") == caught("X", "States.ALL") == "Late"
    assert caught("X", "Y") == "X"
    assert caught("States.Timeout", "States.TaskFailed") == "States.Timeout"
    assert caught("States.Runtime", "States.ALL") == "States.Runtime"


def test_a_state_reads_and_writes_by_its_paths() -> None:
    passing = {"Type": "Pass", "End": True}
    fields = {
        "InputPath": "$.in",
        "ItemSelector": {"x.$": "$$.Map.Item.Value", "n.$": "$$.State.Name"},
        "ResultSelector": {"got.$": "$[0]"},
        "ResultPath": "$.out",
    }
    ended = execute(each(state=passing, **fields), {"in": {"l": [1]}})
    assert ended.output == {"in": {"l": [1]}, "out": {"got": {"x": 1, "n": "M"}}}
    assert execute(each(state=passing, ResultPath=None), {"l": [2]}).output == {"l": [2]}
    state = {"P": {**passing, "Result": 1, "ResultPath": "$.a"}}
    assert execute({"StartAt": "P", "States": state}, 5).error == "States.ResultPathMatchFailure"


def test_map() -> None:
    one = {"Type": "Pass", "Parameters": {"i.$": "$.i", "v.$": "$.v"}, "End": True}
    item = {
        "Type": "Map",
        "ItemsPath": "$.l",
        "ItemSelector": {"i.$": "$$.Map.Item.Index", "v.$": "$$.Map.Item.Value"},
        "ItemProcessor": {"StartAt": "One", "States": {"One": one}},
        "End": True,
    }
    definition = {"StartAt": "M", "States": {"M": item}}
    assert execute(definition, {"l": ["a", "b"]}).output == [{"i": 0, "v": "a"}, {"i": 1, "v": "b"}]


def test_data_that_grows_without_end_is_stopped() -> None:
    def loop(expression: str) -> dict[str, Any]:
        return {"StartAt": "P", "States": {"P": {"Type": "Pass", "Parameters": {"v.$": expression}, "Next": "P"}}}

    assert execute(loop("States.Array($.v, $.v)"), {"v": 1}).error == "States.DataLimitExceeded"
    assert execute(loop("States.Format('{}{}', $.v, $.v)"), {"v": "text"}).error == "States.DataLimitExceeded"
    wide = f"States.Format('{'{}' * 200}'{', $.v' * 200})"  # 200 · 100,000 characters at once
    assert passed(wide, {"v": "x" * 100_000}) == "States.IntrinsicFailure"
    with pytest.raises(Undecided, match="too long"):
        execute(loop("$.v"), {"v": list(range(10_000))})


@pytest.mark.parametrize(
    "definition",
    [
        {"QueryLanguage": "JSONata", "StartAt": "P", "States": {"P": {"Type": "Pass", "End": True}}},
        {"StartAt": "P", "States": {"P": {"Type": "Pass", "Assign": {"x": 1}, "End": True}}},
        {"StartAt": "P", "States": {"P": {"Type": "Pass", "Next": "P"}}},
        {"StartAt": "Q", "States": {}},
        {"StartAt": "T", "States": {"T": {"Type": "Task", "Resource": ARN, "End": True}}},
        {},
        {"StartAt": "P", "States": {"P": {"Type": "Pass", "InputPath": f"$[{'9' * 5_000}]", "End": True}}},
        {
            "StartAt": "P",
            "States": {"P": {"Type": "Pass", "Parameters": {"v.$": f"States.Array({'1,' * 100_000}1)"}, "End": True}},
        },
    ],
    ids=["jsonata", "variables", "endless", "no-state", "task", "empty", "path", "call"],
)
def test_what_is_not_known_is_undecided(definition: dict[str, Any]) -> None:
    with pytest.raises(Undecided):
        execute(definition, {})
