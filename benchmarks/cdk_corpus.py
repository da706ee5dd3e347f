"""Apps on which the warm synthesizer and the stock CLI must agree: references, near misses, mutants, shapes and whole
apps by hand.

Mutants are references with one thing broken, chosen by a seeded generator, so that every run has the same ones.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from steelyard.bench.cdk_synth.dataset import load, near_misses, reference

SEED = 20260101
APPS = Path(__file__).parent / "cdk_apps"


class App(NamedTuple):
    """One app of the comparison."""

    kind: str
    name: str
    code: str


def references() -> list[App]:
    return [App("reference", item.id, reference(item.id)) for item in load()]


def misses() -> list[App]:
    return [App("near miss", f"{miss.item} {miss.breaks}", miss.source) for miss in near_misses()]


def mutants() -> list[App]:
    """At least 150: every reference broken in four ways, the ways taken in turn."""
    rng = random.Random(SEED)
    ways = list(WAYS)
    made: list[App] = []
    for number, item in enumerate(load()):
        for step in range(4):
            way = ways[(4 * number + step) % len(ways)]
            code = WAYS[way](reference(item.id), rng)
            made.append(App(f"mutant: {way}", f"{item.id} {way}", code))
    return made


def shapes() -> list[App]:
    return [App("shape", name, code) for name, code in SHAPES.items()]


def apps() -> list[App]:
    """Apps as people and models write them, right and wrong, one file each, read byte for byte."""
    return [App("app", path.stem, path.read_bytes().decode()) for path in sorted(APPS.glob("*.py"))]


def corpus() -> Iterator[App]:
    yield from (*references(), *misses(), *mutants(), *shapes(), *apps())


def _drop_bracket(code: str, rng: random.Random) -> str:
    places = [match.start() for match in re.finditer(r"\)", code)]
    at = rng.choice(places)
    return code[:at] + code[at + 1 :]


def _rename_construct(code: str, rng: random.Random) -> str:
    places = list(re.finditer(r"\b([a-z][a-z0-9_]*)\.([A-Z]\w+)\(", code))
    match = rng.choice(places)
    return code[: match.start(2)] + match[2] + "s" + code[match.end(2) :]


def _rename_module(code: str, rng: random.Random) -> str:
    places = list(re.finditer(r"\baws_[a-z0-9]+", code))
    match = rng.choice(places)
    return code[: match.start()] + match[0] + "x" + code[match.end() :]


def _unknown_property(code: str, rng: random.Random) -> str:
    places = list(re.finditer(r"\b([a-z][a-z_]+)=", code))
    match = rng.choice(places)
    return code[: match.start()] + match[1] + "_x=" + code[match.end() :]


def _wrong_type(code: str, rng: random.Random) -> str:
    places = list(re.finditer(r"=(True|False|\d+)(?=[,)\n])", code)) or list(re.finditer(r'="[^"]*"', code))
    match = rng.choice(places)
    return code[: match.start()] + '=["not", "this"]' + code[match.end() :]


def _huge_number(code: str, rng: random.Random) -> str:
    places = list(re.finditer(r"(?<=[(=])\d+\b", code))
    if not places:
        return code + "\nraise SystemExit(2)\n"
    match = rng.choice(places)
    return code[: match.start()] + "987654321" + code[match.end() :]


def _bad_name(code: str, rng: random.Random) -> str:
    places = list(re.finditer(r', "([A-Za-z]\w+)"', code))
    match = rng.choice(places)
    return code[: match.start(1)] + "No/Such Name" + code[match.end(1) :]


def _drop_line(code: str, rng: random.Random) -> str:
    lines = code.split("\n")
    candidates = [
        number for number, line in enumerate(lines) if line.strip() and not line.startswith(("import", "from"))
    ]
    del lines[rng.choice(candidates)]
    return "\n".join(lines)


def _after(addition: str) -> Callable[[str, random.Random], str]:
    return lambda code, rng: code.rstrip("\n") + "\n" + addition


def _before_synth(addition: str) -> Callable[[str, random.Random], str]:
    def change(code: str, rng: random.Random) -> str:
        at = code.rindex("app.synth()") if "app.synth()" in code else len(code)
        indent = re.search(r"[ \t]*$", code[:at])
        lead = indent[0] if indent else ""
        return code[:at] + addition.replace("\n", f"\n{lead}") + f"\n{lead}" + code[at:]

    return change


WAYS: dict[str, Callable[[str, random.Random], str]] = {
    "a bracket missing": _drop_bracket,
    "construct renamed": _rename_construct,
    "module renamed": _rename_module,
    "unknown property": _unknown_property,
    "wrong type": _wrong_type,
    "huge number": _huge_number,
    "bad construct id": _bad_name,
    "a line missing": _drop_line,
    "no synth": lambda code, rng: code.replace("app.synth()", "pass"),
    "asset missing": _before_synth(
        "from aws_cdk import Stack as _S, aws_s3_assets as _a\n_a.Asset(_S(app, 'Extra'), 'A', path='no/such/file')"
    ),
    "asset written": _before_synth(
        "import pathlib as _p\n_p.Path('made').mkdir()\n_p.Path('made/f.txt').write_text('x')\n"
        "from aws_cdk import Stack as _S, aws_s3_assets as _a\n_a.Asset(_S(app, 'Extra'), 'A', path='made')"
    ),
    "context lookup": _before_synth(
        "from aws_cdk import Stack as _S, aws_ec2 as _e\n"
        "_s = _S(app, 'Extra', env={'account': '123456789012', 'region': 'us-east-1'})\n"
        "_e.Vpc.from_lookup(_s, 'V', vpc_id='vpc-1')"
    ),
    "error annotation": _before_synth(
        "from aws_cdk import Stack as _S, Annotations as _A\n_A.of(_S(app, 'Extra')).add_error('no')"
    ),
    "warning annotation": _before_synth(
        "from aws_cdk import Stack as _S, Annotations as _A\n_A.of(_S(app, 'Extra')).add_warning('hm')"
    ),
    "exit code": _after("import sys\nsys.exit(3)\n"),
    "late exception": _after("raise RuntimeError('late')\n"),
    "same id twice": _before_synth("from aws_cdk import Stack as _S\n_S(app, 'Twice')\n_S(app, 'Twice')"),
    "empty stack beside": _before_synth("from aws_cdk import Stack as _S\n_S(app, 'Empty')"),
}

_HEAD = "import aws_cdk as cdk\nfrom aws_cdk import aws_s3 as s3\n"
_APP = _HEAD + "app = cdk.App()\n"
_STAGE = _APP + "stage = cdk.Stage(app, 'Prod')\nstack = cdk.Stack(stage, 'S')\ns3.Bucket(stack, 'B')\n"

SHAPES: dict[str, str] = {
    "stage": _STAGE + "app.synth()\n",
    "stage with an error annotation": _STAGE + "cdk.Annotations.of(stack).add_error('no')\napp.synth()\n",
    "stage with a lookup": _APP
    + "stage = cdk.Stage(app, 'Prod', env={'account': '123456789012', 'region': 'us-east-1'})\n"
    + "stack = cdk.Stack(stage, 'S')\ns3.Bucket(stack, 'B')\nfrom aws_cdk import aws_ec2 as ec2\n"
    + "ec2.Vpc.from_lookup(stack, 'V', is_default=True)\napp.synth()\n",
    "stage beside a stack": _STAGE + "s3.Bucket(cdk.Stack(app, 'Own'), 'B')\napp.synth()\n",
    "nested stack": _APP + "s = cdk.Stack(app, 'S')\nn = cdk.NestedStack(s, 'N')\ns3.Bucket(n, 'B')\napp.synth()\n",
    "two stacks": _APP + "s3.Bucket(cdk.Stack(app, 'A'), 'B')\ns3.Bucket(cdk.Stack(app, 'B'), 'B')\napp.synth()\n",
    "cross-stack reference": _APP
    + "a = cdk.Stack(app, 'A')\nb = cdk.Stack(app, 'B')\nx = s3.Bucket(a, 'X')\n"
    + "cdk.CfnOutput(b, 'O', value=x.bucket_arn)\ns3.Bucket(b, 'Y')\napp.synth()\n",
    "cyclic reference": _APP
    + "a = cdk.Stack(app, 'A')\nb = cdk.Stack(app, 'B')\nx = s3.Bucket(a, 'X')\ny = s3.Bucket(b, 'Y')\n"
    + "cdk.CfnOutput(b, 'O', value=x.bucket_arn)\ncdk.CfnOutput(a, 'P', value=y.bucket_arn)\napp.synth()\n",
    "outdir as the CLI has it": _HEAD
    + "app = cdk.App(outdir='cdk.out')\ns3.Bucket(cdk.Stack(app, 'S'), 'B')\napp.synth()\n",
    "outdir elsewhere": _HEAD + "app = cdk.App(outdir='other')\ns3.Bucket(cdk.Stack(app, 'S'), 'B')\napp.synth()\n",
    "synth twice": _APP + "s3.Bucket(cdk.Stack(app, 'S'), 'B')\napp.synth()\napp.synth()\n",
    "main guard": _HEAD
    + "def main():\n    app = cdk.App()\n    s3.Bucket(cdk.Stack(app, 'S'), 'B')\n    app.synth()\n\n"
    + "if __name__ == '__main__':\n    main()\n",
    "exit 0 after synth": _APP + "s3.Bucket(cdk.Stack(app, 'S'), 'B')\napp.synth()\nimport os\nos._exit(0)\n",
    "no app": "print('hello')\n",
    "no stack": _APP + "app.synth()\n",
    "resource of a made-up type": _APP
    + "cdk.CfnResource(cdk.Stack(app, 'S'), 'R', type='AWS::Made::Up')\napp.synth()\n",
    "wrong property in a raw resource": _APP
    + "cdk.CfnResource(cdk.Stack(app, 'S'), 'R', type='AWS::SQS::Queue', properties={'Nope': 1})\napp.synth()\n",
    "dependency on itself": _APP
    + "s = cdk.Stack(app, 'S')\na = cdk.CfnResource(s, 'A', type='AWS::SNS::Topic')\n"
    + "b = cdk.CfnResource(s, 'B', type='AWS::SNS::Topic')\na.add_dependency(b)\nb.add_dependency(a)\napp.synth()\n",
    "aspect that reports errors": _APP
    + "import jsii\n@jsii.implements(cdk.IAspect)\nclass A:\n    def visit(self, node):\n"
    + "        cdk.Annotations.of(node).add_error('no')\ns3.Bucket(cdk.Stack(app, 'S'), 'B')\n"
    + "cdk.Aspects.of(app).add(A())\napp.synth()\n",
    "aspect that raises": _APP
    + "import jsii\n@jsii.implements(cdk.IAspect)\nclass A:\n    def visit(self, node):\n"
    + "        raise ValueError('no')\ns3.Bucket(cdk.Stack(app, 'S'), 'B')\n"
    + "cdk.Aspects.of(app).add(A())\napp.synth()\n",
    "validation that fails": _APP
    + "import jsii, constructs\n@jsii.implements(constructs.IValidation)\nclass V:\n    def validate(self):\n"
    + "        return ['no']\ns = cdk.Stack(app, 'S')\ns3.Bucket(s, 'B').node.add_validation(V())\napp.synth()\n",
    "context from code": _HEAD
    + "app = cdk.App(context={'x': 1})\nassert app.node.try_get_context('x') == 1\n"
    + "s3.Bucket(cdk.Stack(app, 'S'), 'B')\napp.synth()\n",
    "environment from the CLI": _APP
    + "import os\ns3.Bucket(cdk.Stack(app, 'S', env=cdk.Environment(account=os.environ['CDK_DEFAULT_ACCOUNT'],"
    + " region=os.environ['CDK_DEFAULT_REGION'])), 'B')\napp.synth()\n",
    "availability zones of an account": _APP
    + "from aws_cdk import aws_ec2 as ec2\n"
    + "s = cdk.Stack(app, 'S', env={'account': '123456789012', 'region': 'us-east-1'})\nec2.Vpc(s, 'V')\napp.synth()\n",
    "reads stdin": "input()\n",
    "bad encoding": "# -*- coding: nonsense -*-\nx = 1\n",
    "null byte": "x = 1\0\n",
    "warning printed": _APP
    + "import warnings\nwarnings.warn('careful')\ns3.Bucket(cdk.Stack(app, 'S'), 'B')\napp.synth()\n",
    "thread still busy": _APP
    + "import threading\ns3.Bucket(cdk.Stack(app, 'S'), 'B')\n"
    + "threading.Thread(target=lambda: sum(range(100000))).start()\napp.synth()\n",
    "exception in a thread": _APP
    + "import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()\n"
    + "s3.Bucket(cdk.Stack(app, 'S'), 'B')\napp.synth()\n",
    "exception in atexit": _APP
    + "import atexit\natexit.register(lambda: 1 / 0)\ns3.Bucket(cdk.Stack(app, 'S'), 'B')\napp.synth()\n",
    "recursion without end": "def f():\n    return f()\nf()\n",
    "keyboard interrupt": "raise KeyboardInterrupt\n",
    "module beside the app": "import pathlib\npathlib.Path('mine.py').write_text('NAME = 1')\nimport mine\n"
    + _APP
    + "s3.Bucket(cdk.Stack(app, 'S'), f'B{mine.NAME}')\napp.synth()\n",
    "own bundling in Python": _APP
    + "import jsii, pathlib\nfrom aws_cdk import aws_s3_assets as a\n@jsii.implements(cdk.ILocalBundling)\nclass L:\n"
    + "    def try_bundle(self, output_dir, *args, **kwargs):\n"
    + "        pathlib.Path(output_dir, 'x.txt').write_text('x')\n        return True\n"
    + "pathlib.Path('src').mkdir()\npathlib.Path('src/a').write_text('a')\ns = cdk.Stack(app, 'S')\n"
    + "a.Asset(s, 'A', path='src', bundling=cdk.BundlingOptions(image=cdk.DockerImage.from_registry('x'), local=L()))\n"
    + "s3.Bucket(s, 'B')\napp.synth()\n",
    "docker bundling": _APP
    + "from aws_cdk import aws_s3_assets as a\nimport pathlib\npathlib.Path('src').mkdir()\ns = cdk.Stack(app, 'S')\n"
    + "a.Asset(s, 'A', path='src', bundling=cdk.BundlingOptions(image=cdk.DockerImage.from_registry('alpine')))\n"
    + "app.synth()\n",
}
"""What apps do beyond the tasks, each a few lines."""
