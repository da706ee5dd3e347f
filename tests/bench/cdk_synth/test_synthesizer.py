"""The warm synthesizer: verdicts as stock gives them, kernels that die, many apps at once, and nothing left behind."""

from __future__ import annotations

import os
import re
import signal
import threading
from pathlib import Path

import pytest

from steelyard.bench.cdk_synth.synthesizer import pool as pooling
from steelyard.bench.cdk_synth.synthesizer import referee
from steelyard.bench.cdk_synth.synthesizer.kernel import Kernel
from steelyard.bench.cdk_synth.synthesizer.pool import AppResult, Pool
from tests.waiting import HANG_S, gone, until

from .attacks import HONEST

HEAD = "import aws_cdk as cdk\nfrom aws_cdk import aws_s3 as s3\napp = cdk.App()\n"
BUCKET = "stack = cdk.Stack(app, 'S')\nbucket = s3.Bucket(stack, 'B')\n"
SYNTH = "app.synth()\n"
STAGE = HEAD + "stage = cdk.Stage(app, 'P')\nstack = cdk.Stack(stage, 'S')\ns3.Bucket(stack, 'B')\n"
LOOKUP = """
from aws_cdk import aws_ec2 as ec2
own = cdk.Stack(app, 'E', env={'account': '123456789012', 'region': 'us-east-1'})
ec2.Vpc.from_lookup(own, 'V', is_default=True)
"""

# What `cdk synth` says to each of these is checked by benchmarks/cdk.py; here the synthesizer must say the same.
VERDICTS = {
    "a stack": (HEAD + BUCKET + SYNTH, None),
    "never synthesized": (HEAD + BUCKET, "no_stack"),
    "two stacks": (HEAD + BUCKET + "s3.Bucket(cdk.Stack(app, 'T'), 'B')\n" + SYNTH, None),
    "a stage": (STAGE + SYNTH, None),
    "an error annotation inside a stage": (STAGE + "cdk.Annotations.of(stack).add_error('no')\n" + SYNTH, None),
    "a nested stack": (HEAD + BUCKET + "s3.Bucket(cdk.NestedStack(stack, 'N'), 'B')\n" + SYNTH, None),
    "an asset beside the app": (
        HEAD + BUCKET + "import pathlib\nfrom aws_cdk import aws_s3_assets as a\n"
        "pathlib.Path('x.txt').write_text('x')\na.Asset(stack, 'A', path='x.txt')\n" + SYNTH, None),
    "an asset that is not there": (
        HEAD + BUCKET + "from aws_cdk import aws_s3_assets as a\na.Asset(stack, 'A', path='no')\n" + SYNTH,
        "construct_error"),
    "warnings": (HEAD + BUCKET + "cdk.Annotations.of(stack).add_warning('hm')\n" + SYNTH, None),
    "an error annotation": (HEAD + BUCKET + "cdk.Annotations.of(stack).add_error('no')\n" + SYNTH, "annotation_error"),
    "missing context inside a stage": (
        STAGE.replace("'P'", "'P', env={'account': '123456789012', 'region': 'us-east-1'}")
        + "from aws_cdk import aws_ec2 as ec2\nec2.Vpc.from_lookup(stack, 'V', is_default=True)\n" + SYNTH, None),
    "missing context": (HEAD + BUCKET + LOOKUP + SYNTH, "context_lookup"),
    "an exit code after synth": (HEAD + BUCKET + SYNTH + "import sys\nsys.exit(1)\n", "runtime_error"),
    "an exit code too large for one": (HEAD + BUCKET + SYNTH + "import sys\nsys.exit(2**64)\n", "runtime_error"),
    "an exit with a tuple": (HEAD + BUCKET + SYNTH + "import sys\nsys.exit((0,))\n", "runtime_error"),
    "an exit with nothing in a tuple": (HEAD + BUCKET + SYNTH + "import sys\nsys.exit(())\n", "runtime_error"),
    "an exit without a reason": (HEAD + BUCKET + SYNTH + "import sys\nsys.exit()\n", None),
    "an error that says it is an exit": (
        HEAD + BUCKET + SYNTH + "class Fake(Exception):\n    code = 0\n    __class__ = SystemExit\nraise Fake\n",
        "runtime_error"),
    "an exit while an error is shown": (
        HEAD + BUCKET + SYNTH + "import sys\nsys.excepthook = lambda *error: sys.exit(0)\nraise ValueError\n", None),
    "an exit that the app replaced": (
        "import os\nleave = os._exit\nos._exit = lambda code: leave(0)\n" + HEAD + BUCKET + SYNTH
        + "raise ValueError\n", "runtime_error"),
    "output that cannot be flushed": (
        HEAD + BUCKET + SYNTH + "import sys\nclass Tee:\n    def write(self, text): pass\nsys.stdout = Tee()\n",
        "runtime_error"),
    "output that was closed": (HEAD + BUCKET + SYNTH + "import sys\nsys.stdout.close()\ndel sys.stderr\n", None),
    "another output folder before the import": (
        "import os\nos.environ['CDK_OUTDIR'] = '/tmp/other'\n" + HEAD + BUCKET + SYNTH, "no_stack"),
    "another output folder after the import": (
        "import os\nimport aws_cdk\nos.environ['CDK_OUTDIR'] = '/tmp/other'\n" + HEAD + BUCKET + SYNTH, None),
    "other context before the import": (
        "import os\nos.environ['CDK_CONTEXT_JSON'] = '{\"name\": \"mine\"}'\n" + HEAD + BUCKET
        + "assert app.node.try_get_context('name') == 'mine'\n" + SYNTH, None),
    "twelve stages, one in the other": (
        HEAD + "inner = app\nfor number in range(12):\n    inner = cdk.Stage(inner, f'P{number}')\n"
        "s3.Bucket(cdk.Stack(inner, 'S'), 'B')\n" + SYNTH, None),
    "a pipe that does not block": ("import os\nos.set_blocking(2, False)\n" + HEAD + BUCKET + SYNTH, None),
    "more output than a pipe holds, after it": ("print('x' * 1_000_000)\n" + HEAD + BUCKET + SYNTH, None),
    "the version of the library": (
        "import importlib.metadata, sys\nassert sys.path[:2] == ['/work', '/site']\n"
        "importlib.metadata.version('aws-cdk-lib')\n" + HEAD + BUCKET + SYNTH, None),
    "a submodule first": ("from aws_cdk.aws_s3 import Bucket\n" + HEAD + BUCKET + SYNTH, None),
    "an unknown property": (HEAD + BUCKET.replace("'B'", "'B', versionned=True") + SYNTH, "construct_error"),
    "a wrong type": (HEAD + BUCKET.replace("'B'", "'B', versioned='yes'") + SYNTH, "construct_error"),
    "a name that Node refuses": (HEAD + BUCKET.replace("'B'", "'B', bucket_name='X'") + SYNTH, "construct_error"),
    "an unknown module": ("from aws_cdk import aws_nothing\n", "import_error"),
    "an unknown construct": (HEAD + "s3.Buckets(cdk.Stack(app, 'S'), 'B')\n", "import_error"),
    "another package": ("import steelyard\n", "import_error"),
    "no Python": ("import * as cdk from 'aws-cdk-lib';\n", "syntax_error"),
    "a null byte": ("x = 1\0\n", "syntax_error"),
    "a coloured traceback": (
        "import os\nos.environ['FORCE_COLOR'] = '1'\nos.environ.pop('PYTHON_COLORS', None)\nimport nothing\n",
        "import_error"),
    "a program that imports the library too": (
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import aws_cdk'], check=True)\n"
        + HEAD + BUCKET + SYNTH, None),
}  # fmt: skip


def ask(pool: Pool, code: str) -> AppResult:
    return pool.submit(code.encode(), HANG_S).result()


@pytest.mark.parametrize("name", VERDICTS)
def test_the_verdict_is_that_of_the_cli(pool: Pool, name: str) -> None:
    code, expected = VERDICTS[name]
    result = ask(pool, code)
    assert (result.finding.klass if result.finding else None) == expected, result.finding


def test_an_error_out_of_node_is_confirmed_in_a_fresh_kernel(pool: Pool) -> None:
    code, _ = VERDICTS["a name that Node refuses"]
    assert ask(pool, code).confirmed
    # Python alone raised this one: no kernel can have caused it.
    assert not ask(pool, VERDICTS["an unknown module"][0]).confirmed


SPELLED = (
    HEAD
    + BUCKET
    + """
# Spelled so that it does not resolve.
def spelled(token):
    for mark, other in {"$": "", "#": "", "{": "(", "}": ")", "e+": "E +"}.items():
        token = token.replace(mark, other)
    return token
cdk.Fn.ref("Q"), cdk.Fn.ref("P")
number = cdk.Token.as_number
forms = {"Text": cdk.Fn.ref("R"), "Number": repr(number({"Ref": "R"})), "List": cdk.Token.as_list({"Ref": "R"})[0]}
forms = {name: spelled(token) for name, token in forms.items()}
forms["Cut"] = cdk.Fn.ref("R").removesuffix("]}")
try:
    stack.resolve("${Token[FOO.1]}")
except RuntimeError as error:
    forms["Error"] = str(error).splitlines()[0]
assert stack.resolve(int(number({"Ref": "R"}))) == {"Ref": "R"}
forms["Same"] = cdk.Fn.ref("R")
for name, form in forms.items():
    cdk.CfnOutput(stack, name, value=form)
"""
    + SYNTH
)
"""An app that puts the numbers of its tokens into its template."""


def test_strict_isolation_gives_the_same_templates(pool: Pool) -> None:
    strict = Pool(kernels=1, isolation="strict")
    try:
        alone, warm = ask(strict, SPELLED), ask(pool, SPELLED)
    finally:
        strict.close()
    assert alone.finding is None and alone.confirmed
    assert alone.files["S.template.json"] == warm.files["S.template.json"]


ASKING_ONCE = (
    HEAD
    + """
import os
stack = cdk.Stack(app, 'S', env={'account': '123456789012', 'region': 'us-east-1'})
s3.Bucket(stack, 'B')
if not os.path.exists('asked'):
    open('asked', 'w').close()
    stack.availability_zones
"""
    + SYNTH
)
"""An app that asks for context in its first run only: the CLI runs it again, and it passes."""


def test_strict_isolation_too_runs_an_app_again_after_a_failed_lookup(pool: Pool) -> None:
    strict = Pool(kernels=1, isolation="strict")
    try:
        alone, warm = ask(strict, ASKING_ONCE), ask(pool, ASKING_ONCE)
    finally:
        strict.close()
    assert alone.finding is None and alone.confirmed and not warm.confirmed
    assert alone.files["S.template.json"] == warm.files["S.template.json"]


def test_a_killed_kernel_costs_nobody_a_verdict(pool: Pool) -> None:
    pool.warm()
    os.kill(pool.pids[0], signal.SIGKILL)
    result = ask(pool, HONEST)
    assert result.finding is None and result.confirmed


def test_a_killed_node_costs_nobody_a_verdict(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    # A process that the kernel ends for lack of memory beside this test would have the app tried a second time, warm.
    monkeypatch.setattr(referee, "kills_for_memory", lambda: 0)
    pool.warm()
    node = next(pid for pid in descendants(pool.pids[0]) if "program.js" in command(pid))
    os.kill(node, signal.SIGKILL)
    result = ask(pool, VERDICTS["never synthesized"][0] + "cdk.Stack(app, 'T')\n")
    assert result.finding is not None and result.finding.klass == "no_stack" and result.confirmed


MIXED = (HONEST, "raise ValueError\n", HONEST, "import os\nos._exit(9)\n")
MIXED_CLASSES = (None, "runtime_error", None, "runtime_error")


def test_many_apps_in_a_row_leave_nothing_and_wear_a_kernel_out(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pooling, "MAX_APPS", 16)
    pool.warm()
    replaced = set[int]()
    before, templates, sizes = belongings(), set[str](), list[int]()
    for number in range(24):
        result = ask(pool, MIXED[number % 4])
        assert (result.finding.klass if result.finding else None) == MIXED_CLASSES[number % 4], (number, result.finding)
        if result.finding is None:
            templates.add(result.files["Honest.template.json"])
        if number % 4 == 3:
            (pid,) = pool.pids or (None,)
            sizes += [own_mb(pid)] if pid else []
            replaced |= {pid} if pid else set()
    assert len(templates) == 1
    assert max(sizes) < 1.4 * min(sizes), sizes
    assert len(replaced) > 1
    assert_only_the_kernel_is_left(pool)
    # What earlier tests left may be closed meanwhile; what the last app had may take a moment to go.
    assert until(lambda: all(now <= then for now, then in zip(belongings(), before, strict=True)))


def test_two_at_once_get_the_verdicts_of_one_and_leave_no_process(pool: Pool) -> None:
    if available_mb() < 3_000:
        pytest.skip("two kernels need 3 GB of free memory")
    two = Pool(kernels=2)
    family: list[int] = []
    try:
        results = [future.result() for future in [two.submit(code.encode(), HANG_S) for code in MIXED * 4]]
        assert len(two.pids) == 2
        assert_only_the_kernel_is_left(two)
        family = [*two.pids, *(child for pid in two.pids for child in descendants(pid))]
    finally:
        two.close()
    assert [result.finding.klass if result.finding else None for result in results] == [*MIXED_CLASSES] * 4
    templates = {result.files["Honest.template.json"] for result in results if result.finding is None}
    assert templates == {ask(pool, HONEST).files["Honest.template.json"]}
    # The kernel takes a moment to free half a gigabyte.
    assert len(family) > 4 and gone(family)


def assert_only_the_kernel_is_left(pool: Pool) -> None:
    # Per kernel: the sandbox's own processes, the kernel and Node; no app outlives its run by more than a moment.
    for pid in pool.pids:
        assert until(lambda pid=pid: not any("app.py" in command(each) for each in descendants(pid)))
        assert until(lambda pid=pid: len(descendants(pid)) <= 6)


def belongings() -> tuple[int, int]:
    """What a leak would add to: open files and threads of ours. Folders are made inside the sandbox only."""
    return len(os.listdir("/proc/self/fd")), threading.active_count()


def own_mb(root: int) -> int:
    """The memory of a kernel's processes that no file holds: a busy machine may swap it, but not drop it."""
    sizes = re.findall(r"(?:RssAnon|VmSwap):\s*(\d+) kB", "".join(map(status, descendants(root))))
    return sum(map(int, sizes)) // 1_000


def available_mb() -> int:
    lines = Path("/proc/meminfo").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("MemAvailable"))) // 1_000


def test_without_room_for_a_kernel_the_synthesizer_is_to_blame(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Kernel) -> None:
        from steelyard.bench.cdk_synth.synthesizer.kernel import Broken

        raise Broken("no room")

    monkeypatch.setattr(Kernel, "wait_ready", refuse)
    pool = Pool(kernels=1)
    try:
        result = ask(pool, HONEST)
    finally:
        pool.close()
    assert result.finding is not None and result.finding.klass == "engine_error"


def descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (words := stat(int(entry.name))):
            children.setdefault(int(words[1]), []).append(int(entry.name))
    found, waiting = [], list(children.get(root, []))
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting += children.get(pid, [])
    return found


def stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def status(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return ""
