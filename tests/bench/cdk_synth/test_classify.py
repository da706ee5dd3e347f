"""docs/scoring.md §1.5, classes: each cause gives its class, the first one wins, the lines that matter are kept."""

from __future__ import annotations

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.bench.cdk_synth.assembly import Assembly, read_assembly
from steelyard.bench.cdk_synth.classify import Ending, FailureClass, classify, last_raised
from steelyard.bench.cdk_synth.sandboxed import stock_finding

BUCKET = {"Resources": {"B": {"Type": "AWS::S3::Bucket"}}}
BOOKKEEPING = {"Resources": {"CDKMetadata": {"Type": "AWS::CDK::Metadata"}}}


def trace(*frames: str, error: str) -> str:
    lines = "".join(f'  File "{frame}", line {number}, in f\n    x()\n' for number, frame in enumerate(frames, 7))
    return f"Traceback (most recent call last):\n{lines}{error}\n"


def stack(name: str = "S", **properties: Any) -> dict[str, Any]:
    described = {"templateFile": f"{name}.template.json", **properties}
    return {"type": "aws:cloudformation:stack", "properties": described, "displayName": name}


def files(artifacts: dict[str, Any], templates: dict[str, Any], **more: Any) -> dict[str, str]:
    found = {f"{name}.template.json": json.dumps(template) for name, template in templates.items()}
    return {"manifest.json": json.dumps({"artifacts": artifacts, **more}), **found}


def assembly(template: Any = BUCKET, metadata: dict[str, Any] | None = None, **more: Any) -> Assembly | None:
    artifact = {**stack(), "metadata": metadata or {}}
    return read_assembly(files({"S": artifact}, {"S": template}, **more))


APP, LIB = "/work/app.py", "/site/aws_cdk/aws_s3/__init__.py"
RAISED = [
    # (output, class)
    ('  File "/work/app.py", line 1\n    x = (\n        ^\nSyntaxError: \'(\' was never closed\n', "syntax_error"),
    ('  File "/work/app.py", line 2\n    x\nIndentationError: unexpected indent\n', "syntax_error"),
    (trace(APP, error="ModuleNotFoundError: No module named 'aws_cdk.core'"), "import_error"),
    (trace(APP, error="ImportError: cannot import name 'core' from 'aws_cdk'"), "import_error"),
    (trace(APP, error="AttributeError: module 'aws_cdk.aws_s3' has no attribute 'Buckets'"), "import_error"),
    (trace(APP, error="AttributeError: 'Bucket' object has no attribute 'x'"), "runtime_error"),
    (trace(APP, "/site/jsii/_runtime.py", error="TypeError: __init__() got an unexpected keyword"), "construct_error"),
    (trace(APP, LIB, "/site/typeguard/__init__.py", error="TypeError: type of argument x"), "construct_error"),
    (trace(APP, "/site/jsii/_kernel/__init__.py", error="RuntimeError: Error: Bucket name must be"), "construct_error"),
    (trace(APP, LIB, APP, error="ValueError: raised by the app inside a callback"), "runtime_error"),
    (trace(APP, error="SyntaxError: in a module the app wrote itself"), "runtime_error"),
    (trace(APP, error="ValueError: own"), "runtime_error"),
    (trace(APP, error="MemoryError"), "resource_limit"),
    (trace(APP, error="OSError: [Errno 28] No space left on device"), "resource_limit"),
    (trace(APP, error="BlockingIOError: [Errno 11] Resource temporarily unavailable"), "resource_limit"),
    (trace(APP, error="RuntimeError: can't start new thread"), "resource_limit"),
    (trace(APP, "/site/jsii/_kernel/__init__.py", error="RuntimeError: ENOSPC: no space left"), "resource_limit"),
    (trace(APP, error="PermissionError: [Errno 13] Permission denied: '/x'"), "forbidden"),
    (trace(APP, error="OSError: [Errno 30] Read-only file system: 'cdk.out/x'"), "forbidden"),
    (trace(APP, error="urllib.error.URLError: <urlopen error [Errno 101] Network is unreachable>"), "forbidden"),
    (trace(APP, "/site/jsii/x.py", error="jsii.errors.JSIIError: refused by the sandbox: request 'load'"), "forbidden"),
    ("\x1b[35m" + trace(APP, error="\x1b[1;35mModuleNotFoundError\x1b[0m: No module named 'x'"), "import_error"),
    ("some words\n", "runtime_error"),
    ("BlockingIOError: [Errno 11] Resource temporarily unavailable\n", "resource_limit"),
    # Two processes of a fork bomb, the second traceback cut off by the end.
    (trace(APP, error="BlockingIOError: [Errno 11] Resource temporarily unavailable") + trace(APP, error=" cut off"),
     "resource_limit"),
    (f'  File "{APP}", line {"9" * 5_000}, in f\nValueError: a line number that is no number\n', "runtime_error"),
]  # fmt: skip


@pytest.mark.parametrize(("output", "expected"), RAISED, ids=[output.strip().splitlines()[-1] for output, _ in RAISED])
def test_a_failed_program_has_the_class_of_its_last_error(output: str, expected: str) -> None:
    found = classify(Ending(1, output=output), assembly())
    assert found is not None and found.klass == expected


PRODUCTS = [
    ("passes", assembly(), None),
    ("no assembly", None, "no_stack"),
    ("no stack", read_assembly(files({}, {})), "no_stack"),
    ("nothing in it", assembly({}), "empty_template"),
    ("bookkeeping only", assembly(BOOKKEEPING), "empty_template"),
    ("missing context", assembly(missing=[{"key": "vpc"}]), "context_lookup"),
    ("error annotation", assembly(metadata={"/S": [{"type": "aws:cdk:error", "data": "no"}]}), "annotation_error"),
    ("warning annotation", assembly(metadata={"/S": [{"type": "aws:cdk:warning", "data": "hm"}]}), None),
    ("templates that are no objects", assembly([1, 2]), "empty_template"),
]


@pytest.mark.parametrize(("name", "product", "expected"), PRODUCTS, ids=[row[0] for row in PRODUCTS])
def test_a_finished_program_is_judged_by_what_came_out(name: str, product: Any, expected: str | None) -> None:
    found = classify(Ending(0), product)
    assert (found.klass if found else None) == expected


def test_a_stage_is_synthesized_but_not_validated_unless_it_asks() -> None:
    # The CLI looks at the main assembly; stacks inside stages only with validateOnSynth.
    for validate, expected in ((False, None), (True, "annotation_error")):
        inner = {**stack(validateOnSynth=validate), "metadata": {"/P/S": [{"type": "aws:cdk:error", "data": "no"}]}}
        nested = {f"assembly-P/{name}": text for name, text in files({"S": inner}, {"S": BUCKET}).items()}
        outer = {"P": {"type": "cdk:cloud-assembly", "properties": {"directoryName": "assembly-P"}}}
        found = classify(Ending(0), read_assembly({**files(outer, {}), **nested}))
        assert (found.klass if found else None) == expected


def test_a_failed_report_counts_only_for_stacks_looked_at() -> None:
    def report(path: str) -> dict[str, str]:
        violation = {"description": "bad", "violatingConstructs": [{"constructPath": path}]}
        plugin = {"pluginName": "p", "conclusion": "failure", "violations": [violation]}
        return {"validation-report.json": json.dumps({"pluginReports": [plugin]})}

    base = files({"S": stack()}, {"S": BUCKET})
    assert classify(Ending(0), read_assembly({**base, **report("S/B")})) is not None
    assert classify(Ending(0), read_assembly({**base, **report("Other/B")})) is None


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        (Ending(None, stopped="time"), "timeout"),
        (Ending(None, stopped="memory"), "resource_limit"),
        (Ending(None, signal=25), "resource_limit"),
        (Ending(None, signal=11), "runtime_error"),
        (Ending(3), "runtime_error"),
        (Ending(1, refused=("request 'load'",)), "forbidden"),
    ],
)
def test_limits_signals_and_exit_codes(ending: Ending, expected: str) -> None:
    # Also after a good synth: the assembly that lies there does not help.
    found = classify(ending, assembly())
    assert found is not None and found.klass == expected


def test_a_refusal_without_an_assembly_is_forbidden() -> None:
    found = classify(Ending(0, refused=("request 'load'",)), None)
    assert found is not None and found.klass == "forbidden"


def test_the_message_names_line_and_error_and_stays_short() -> None:
    output = trace(APP, LIB, error="RuntimeError: Error: first\nsecond\nthird")
    found = classify(Ending(1, output="noise\n" * 5000 + output), None)
    assert found is not None
    # The app's own frame is the first, which `trace` numbers 7.
    assert found.message == "app.py line 7\nRuntimeError: Error: first\nsecond\nthird"
    flood = classify(Ending(1, output=trace(APP, error="ValueError: " + "x" * 100_000)), None)
    assert flood is not None and len(flood.message) < 700


@pytest.mark.parametrize(
    ("code", "output", "expected"),
    [
        (1, trace(APP, error="ValueError: x") + "python app.py: Subprocess exited with error 1\n", "runtime_error"),
        (1, "python app.py: Subprocess exited with error 7\n", "runtime_error"),
        (1, "Found errors\n", "annotation_error"),
        (0, "", None),
    ],
)
def test_the_same_law_reads_the_stock_cli(code: int, output: str, expected: str | None) -> None:
    found = stock_finding(code, output, files({"S": stack()}, {"S": BUCKET}))
    assert (found.klass if found else None) == expected


@given(st.text(max_size=400), st.integers(0, 255), st.dictionaries(st.sampled_from(["manifest.json", "x"]), st.text()))
def test_whatever_comes_out_gets_a_class_of_the_law(output: str, code: int, found: dict[str, str]) -> None:
    finding = classify(Ending(code, output=output), read_assembly(found))
    assert finding is not None and finding.klass in get_args(FailureClass)


def test_no_traceback_is_none() -> None:
    assert last_raised("hello\nworld\n") is None
