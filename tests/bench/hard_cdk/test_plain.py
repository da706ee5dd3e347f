"""The rule of plain apps: descriptions pass, whatever could hide a search does not, and nothing makes it raise."""

from __future__ import annotations

import pytest

from steelyard.bench.cdk_synth.verify import Verdict
from steelyard.bench.hard_cdk.dataset import load, near_misses, original, reference
from steelyard.bench.hard_cdk.plain import MOST_CHARACTERS, offence
from steelyard.bench.hard_cdk.scorer import behaviour_score
from tests.bench.hard_cdk.test_behaviour import VARIANTS

HEAD = "import aws_cdk as cdk\nfrom aws_cdk import aws_s3 as s3\napp = cdk.App()\nstack = cdk.Stack(app, 'S')\n"
PLAIN = [item for item in load() if item.metadata.plain]


def test_fourteen_tasks_ask_for_a_plain_app_and_say_so() -> None:
    assert len(PLAIN) == 14
    assert [item.id for item in load() if ("app is plain" in item.input) != item.metadata.plain] == []


def test_right_answers_are_plain_and_each_task_has_one_that_is_not() -> None:
    for item in PLAIN:
        assert (offence(reference(item.id)), offence(VARIANTS[item.id])) == (None, None), item.id
        others = [miss.source for miss in near_misses() if (miss.item, miss.breaks) == (item.id, "plain")]
        assert others and all(map(offence, others))
        given = original(item)
        assert given is None or offence(given)  # as the prompt says


@pytest.mark.parametrize(
    "line",
    [
        "'a docstring'",
        "bucket = s3.Bucket(stack, 'B', versioned=True)",
        "cdk.aws_s3.Bucket(stack, f'B{stack.node.id}')",
        "import aws_cdk.aws_sqs\naws_cdk.aws_sqs.Queue(stack, 'Q')",
        "import constructs\nconstructs.Construct(stack, 'C')",
        "from aws_cdk.aws_iam import Effect\nx = Effect.DENY",
        "prefix = stack.region + ':' + 'x'",
        "prefix = f'arn:{stack.partition}:sns'",
        "x = -1\ny = [1, 2.5, None, True, ('a', {'b': [x]})]",
        "cdk.Tags.of(stack).add('a', 'b')",
        "cdk.Fn.join('', ['a', stack.region])",
        "cdk.Arn.format(cdk.ArnComponents(service='s3', resource='x'), stack)",
        "bus = stack\nbus = bus.node",
        "a = b = stack.account",
    ],
)
def test_descriptions_are_plain(line: str) -> None:
    assert offence(f"{HEAD}{line}\napp.synth()\n") is None


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("import itertools", "import of itertools"),
        ("import aws_cdk, os", "import of os"),
        ("from aws_cdk import *", "import of aws_cdk.*"),
        ("from aws_cdk import jsii", "import of aws_cdk.jsii"),
        ("from aws_cdk import aws_s3, builtins", "import of aws_cdk.builtins"),
        ("from aws_cdk.aws_s3 import typing", "import of aws_cdk.aws_s3.typing"),
        ("from . import helper", "import of ..helper"),
        ("import aws_cdk.assertions", "import of aws_cdk.assertions"),
        ("from aws_cdk import aws_s3 as print\nprint = 1\nx = open", "open is not a name"),
        ("for x in [1]:\n    pass", "For"),
        ("while True:\n    pass", "While"),
        ("x = [c for c in 'abc']", "ListComp"),
        ("x = next(c for c in 'abc')", "a call of next, which is no class"),
        ("x = {c: c for c in 'abc'}", "DictComp"),
        ("x = lambda: 1", "Lambda"),
        ("def f():\n    pass", "FunctionDef"),
        ("@cdk.Stack\nclass A:\n    pass", "ClassDef"),
        ("async def f():\n    pass", "AsyncFunctionDef"),
        ("if app:\n    pass", "If"),
        ("x = 1 if app else 2", "IfExp"),
        ("x = app and stack", "BoolOp"),
        ("x = 1 < 2", "Compare"),
        ("x = not app", "an operator"),
        ("x = -stack", "an operator"),
        ("x = 'a' * 3", "Mult"),
        ("x = '%s' % 1", "Mod"),
        ("x = [1, 2][0]", "Subscript"),
        ("x = {1, 2}", "Set"),
        ("x = [*'abc']", "Starred"),
        ("x = {**{}}", "** in a dictionary"),
        ("cdk.Stack(app, **{'a': 1})", "** in a call"),
        ("cdk.Stack(*[app, 'x'])", "Starred"),
        ("x = (y := 1)", "NamedExpr"),
        ("match app:\n    case _:\n        pass", "Match"),
        ("try:\n    pass\nfinally:\n    pass", "Try"),
        ("with app:\n    pass", "With"),
        ("x: int = 1", "AnnAssign"),
        ("x = 1\nx += 1", "AugAssign"),
        ("x, y = 1, 2", "an assignment to something else"),
        ("cdk.Stack = app", "an assignment to something else"),
        ("assert app", "Assert"),
        ("del app", "Delete"),
        ("app", "a statement that is no call"),
        ("x = b'a'", "an unusual constant"),
        ("x = ...", "an unusual constant"),
        ("x = f'{65:c}'", "a format in an f-string"),
        ("x = f'{app!r}'", "a format in an f-string"),
        ("x = eval('1')", "a call of eval, which is no class"),
        ("exec('for x in y: pass')", "a call of exec, which is no class"),
        ("x = getattr(cdk, 'jsii')", "a call of getattr, which is no class"),
        ("x = __import__('os')", "a call of __import__, which is no class"),
        ("x = __builtins__", "__builtins__ is not a name"),
        ("x = 'a b'.split()", "a method of Python's values: split"),
        ("x = 'a b'.real", "an attribute of a literal"),
        ("x = 'a b'\ny = x.split()", "a method of Python's values: split"),
        ("x = cdk.Aws.REGION.join(['a'])", "a method of Python's values: join"),
        ("x = {'a': 1}\ny = x.get('a')", "a method of Python's values: get"),
        ("x = stack.__class__", "attribute __class__"),
        ("x = cdk.Stack.of.__globals__", "attribute __globals__"),
        ("x = cdk.sys.modules", "aws_cdk.sys is not a part"),
        ("x = cdk.jsii.kernel", "aws_cdk.jsii is not a part"),
        ("x = s3.typing.Any", "aws_cdk.aws_s3.typing is not a part"),
        ("x = s3.aws_iam", "aws_cdk.aws_s3.aws_iam is not a part"),
        ("m = cdk\nx = m.jsii", "a module as a value"),
        ("x = [cdk.aws_s3]", "a module as a value"),
        ("cdk.Stack(app, 'a')('b')('c')", "a call of a value"),
        ("f = stack.region.split\nx = f(':')", "a call of f"),
        ("cdk.aws_lambda.Code.from_custom_command('out', ['python3', '-c', 'x'])", "from_custom_command"),
        ("x = (", "Python cannot read it: SyntaxError"),
        ("x = '\0'", "Python cannot read it"),
        ("x = " + "[" * 3000 + "]" * 3000, "Python cannot read it"),
        ("x = '" + "a" * MOST_CHARACTERS + "'", f"more than {MOST_CHARACTERS}"),
    ],
)
def test_what_could_hide_a_search_is_refused(line: str, found: str) -> None:
    assert found in (offence(f"{HEAD}{line}\n") or "")


@pytest.mark.parametrize("value", ["-" * 9000 + "1", "app" + ".node" * 1900, "app" + "()" * 4000, "1+" * 4000 + "1"])
def test_depth_is_no_matter(value: str) -> None:
    problem = offence(f"{HEAD}x = {value}\n")
    assert problem is None or problem.startswith(("line 5: ", "Python cannot read it: "))


def test_the_first_offence_has_its_line() -> None:
    assert offence(f"{HEAD}x = 1\ny = [z for z in x]\n") == "line 6: ListComp"


def test_a_searching_app_scores_zero_and_says_why() -> None:
    item = next(item for item in PLAIN if item.metadata.kind == "wiring")
    score = behaviour_score(item, "import itertools", Verdict(True, None, ""), None)
    assert score.value == 0.0 and score.metadata is not None and score.explanation is not None
    assert "plain" in score.metadata["assertions_failed"] and score.metadata["class"] == "wrong_behaviour"
    assert "plain: the app is a plain description (line 1: import of itertools)" in score.explanation


def test_other_tasks_may_compute() -> None:
    item = next(item for item in load() if not item.metadata.plain)
    score = behaviour_score(item, "import itertools", Verdict(True, None, ""), None)
    assert score.metadata is not None and "plain" not in score.metadata["assertions_failed"]
