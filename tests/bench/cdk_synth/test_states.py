"""The states of a workflow are the same whether its definition is text, text with references, or an object."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steelyard.bench.cdk_synth.intent import evaluate
from steelyard.bench.cdk_synth.intent.workflow import MAX_STATES, with_states

CATCH = [{"ErrorEquals": ["States.ALL"], "Next": "Undo"}]
FLOW = {
    "StartAt": "Do",
    "States": {
        "Do": {"Type": "Task", "Resource": "${Work.Arn}", "TimeoutSeconds": 5, "Catch": CATCH, "End": True},
        "Undo": {"Type": "Task", "Resource": "${Work.Arn}", "Next": "Failed"},
        "Failed": {"Type": "Fail"},
    },
}
TEXT = json.dumps(FLOW, indent=2)
BARE = TEXT.replace('"TimeoutSeconds": 5', '"TimeoutSeconds": ${Limit}')
FUNCTION = {"Fn::GetAtt": ["Work", "Arn"]}
PARTS = [part for text in TEXT.split("${Work.Arn}") for part in (text, FUNCTION)][:-1]
REQUIREMENT = {
    "id": "undone",
    "message": "an error is undone and ends in a failure",
    "all_of": [
        {
            "resource": "AWS::StepFunctions::StateMachine",
            "properties": {"Workflow": {"has": {"Name": "Do", "Catch": {"has": {"Then": {"has": {"Type": "Fail"}}}}}}},
        },
        {
            "relation": "references",
            "source": "AWS::StepFunctions::StateMachine",
            "path": "Workflow.Catch.Then",
            "target": "AWS::Lambda::Function",
        },
    ],
}


@pytest.mark.parametrize(
    "properties",
    [
        {"DefinitionString": {"Fn::Sub": TEXT}},
        {"DefinitionString": {"Fn::Sub": [TEXT, {}]}},
        {"DefinitionString": {"Fn::Join": ["", PARTS]}},
        {"DefinitionString": {"Fn::Sub": BARE}},
        {"DefinitionString": TEXT.replace("Work.Arn", "task"), "DefinitionSubstitutions": {"task": FUNCTION}},
        {"Definition": json.loads(TEXT.replace("Work.Arn", "task")), "DefinitionSubstitutions": {"task": FUNCTION}},
    ],
)
def test_however_it_is_written(properties: dict[str, Any]):
    resources = {
        "Work": {"Type": "AWS::Lambda::Function"},
        "Flow": {"Type": "AWS::StepFunctions::StateMachine", "Properties": properties},
    }
    (result,) = evaluate([REQUIREMENT], {"S": {"Resources": resources}})
    assert result.held, result.detail


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '"States"', '{"States": 5}', '{"States": {}}', "[" * 100_000, "9" * 9_000]
)
def test_what_is_no_workflow_has_no_states(text: str):
    assert with_states({"DefinitionString": text}) == {"DefinitionString": text}


def test_endless_and_huge_workflows_end():
    around = {"A": {"Next": "B", "Catch": [{"Next": "A"}]}, "B": {"Next": "A"}, "C": 7}
    states = with_states({"Definition": {"States": around}})["Workflow"]
    assert [len(state["Catch"][0]["Then"]) for state in states if "Catch" in state] == [2]
    many = {f"S{number}": {"Branches": [{"States": {"T": {}}}]} for number in range(10_000)}
    assert len(with_states({"Definition": {"States": many}})["Workflow"]) == MAX_STATES


def test_a_substitution_may_be_empty() -> None:
    text = json.dumps({"States": {"Do": {"Type": "Pass", "Comment": "${note}", "Result": "a${note}"}}})
    [state] = with_states({"DefinitionString": text, "DefinitionSubstitutions": {"note": ""}})["Workflow"]
    assert (state["Comment"], state["Result"]) == ("", "a")
