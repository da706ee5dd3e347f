"""Folders with `cdk.json`: what is read, what is run, and what is refused with the reason."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from steelyard.bench.cdk_synth import project as projects
from steelyard.bench.cdk_synth.project import Entry, read_project
from steelyard.bench.cdk_synth.synthesizer.pool import Pool
from steelyard.errors import InputError
from tests.waiting import HANG_S

STACK = """
import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_s3_assets as assets

class Storage(cdk.Stack):
    def __init__(self, scope, name):
        super().__init__(scope, name)
        s3.Bucket(self, "Bucket", bucket_name=self.node.try_get_context("bucket"))
        assets.Asset(self, "Handler", path="lambda")
"""
APP = """
import sys
import aws_cdk as cdk
from stacks.storage import Storage

assert sys.argv[1:] == ["--stage", "test"], sys.argv
app = cdk.App()
Storage(app, "Storage")
app.synth()
"""


def project(folder: Path, files: dict[str, str], **settings: Any) -> Path:
    if settings:
        files = {**files, "cdk.json": json.dumps(settings)}
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


COMMANDS: list[tuple[str, Entry | None]] = [
    ("python app.py", Entry("app.py")),
    ("python3 app.py", Entry("app.py")),
    (".venv/bin/python -u ./app.py", Entry("app.py")),
    ("poetry run python3.12 app.py --x 'a b'", Entry("app.py", arguments=("--x", "a b"))),
    ("uv run app.py", Entry("app.py")),
    ("app.py", Entry("app.py")),
    ("python -m infra.main", Entry("infra.main", module=True)),
    ("python -minfra.main", Entry("infra.main", module=True)),
    ("python -Bu -W ignore -X dev app.py", Entry("app.py")),
    ("uv run --frozen python app.py", Entry("app.py")),
    ("STAGE=dev env=x python app.py", Entry("app.py", environment=(("STAGE", "dev"), ("env", "x")))),
    ("env STAGE='a b' python app.py", Entry("app.py", environment=(("STAGE", "a b"),))),
    ("PYTHONPATH=src python app.py", None),
    ("CDK_OUTDIR=elsewhere python app.py", None),
    ("python app.py $STAGE", None),
    ('python app.py "`date`"', None),
    ("python app.py *.py", None),
    ("python app.py '$STAGE *'", Entry("app.py", arguments=("$STAGE *",))),
    ("npx ts-node --prefer-ts-exts bin/app.ts", None),
    ("python app.py '' --x 'a;b'  # comment", Entry("app.py", arguments=("", "--x", "a;b"))),
    ("python app.py && echo done", None),
    ("python app.py; echo done", None),
    ("python app.py 2>/dev/null", None),
    ("python -c 'print(1)'", None),
    ("python 'app.py", None),
    ("mvn -e -q compile exec:java", None),
]


@pytest.mark.parametrize(("command", "entry"), COMMANDS)
def test_the_command_of_an_app(tmp_path: Path, command: str, entry: Entry | None) -> None:
    folder = project(tmp_path, {"app.py": "x = 1\n"}, app=command)
    if entry is not None:
        assert read_project(folder).entry == entry
    else:
        with pytest.raises(InputError, match=r"cdk\.json: cannot run"):
            read_project(folder)


def test_what_belongs_to_a_project_and_what_does_not(tmp_path: Path) -> None:
    names = ["app.py", "lib/a.py", "cdk.out/manifest.json", ".git/config", "lib/__pycache__/a.pyc", ".venv/pyvenv.cfg"]
    folder = project(tmp_path, dict.fromkeys(names, "x"))
    (folder / "lib/a.py").chmod(0o755)
    (folder / "lib/link").symlink_to("../app.py")
    read = read_project(folder)
    assert sorted(read.files) == ["app.py", "lib/a.py"]
    assert read.executable == {"lib/a.py"} and read.links == {"lib/link": "../app.py"} and read.entry == Entry("app.py")


def test_the_context_is_what_the_cli_passes(tmp_path: Path) -> None:
    files = {"app.py": "", "cdk.context.json": '{"a": 1, "b": 1}'}
    folder = project(tmp_path, files, app="python app.py", context={"b": 2}, versionReporting=False)
    assert read_project(folder).context == {
        "a": 1,
        "b": 2,
        "aws:cdk:enable-path-metadata": True,
        "aws:cdk:enable-asset-metadata": True,
        "aws:cdk:disable-version-reporting": True,
        "aws:cdk:bundling-stacks": ["**"],
        "@aws-cdk/core:failSynthOnValidationErrors": False,
    }


BAD: list[tuple[dict[str, str], str]] = [
    ({"main.py": ""}, "neither cdk.json nor app.py"),
    ({"cdk.json": "{"}, "is not JSON"),
    ({"cdk.json": "[]"}, "must be a JSON object"),
    ({"cdk.json": "{}", "app.py": ""}, 'no "app"'),
    ({"cdk.json": '{"app": "python other.py"}', "app.py": ""}, r"other\.py is not in"),
    ({"cdk.json": '{"app": "python app.py", "context": []}', "app.py": ""}, '"context" must be an object'),
    ({"cdk.json": '{"app": "python app.py", "build": "make"}', "app.py": ""}, "build command"),
    ({"cdk.json": '{"app": "python app.py"}', "app.py": "", "cdk.context.json": "7"}, "must be a JSON object"),
]


@pytest.mark.parametrize(("files", "problem"), BAD)
def test_a_project_that_cannot_be_verified(tmp_path: Path, files: dict[str, str], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_project(project(tmp_path, files))


def test_links_out_of_the_project_devices_and_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project(tmp_path / "p", {"app.py": "x" * 10})
    monkeypatch.setattr(projects, "SIZE_LIMIT", 9)
    with pytest.raises(InputError, match="is larger than"):
        read_project(folder)
    monkeypatch.setattr(projects, "SIZE_LIMIT", 10)
    monkeypatch.setattr(projects, "FILE_LIMIT", 1)
    assert read_project(folder).files
    (folder / "b").symlink_to("/etc/passwd")
    with pytest.raises(InputError, match="more than 1 files"):
        read_project(folder)
    monkeypatch.setattr(projects, "FILE_LIMIT", 2)
    with pytest.raises(InputError, match="outside the project"):
        read_project(folder)
    (folder / "b").unlink()
    os.mkfifo(folder / "b")
    with pytest.raises(InputError, match="neither a file nor a folder"):
        read_project(folder)


def test_an_app_of_several_files_synthesizes(tmp_path: Path, pool: Pool) -> None:
    files = {"infra/app.py": APP, "infra/stacks/storage.py": STACK, "lambda/index.py": "def handler(e, c): pass\n"}
    folder = project(
        tmp_path, files, app="python3 infra/app.py --stage test", context={"bucket": "a-name-from-cdk-json"}
    )
    result = pool.submit(read_project(folder), HANG_S).result()
    assert result.finding is None, result.finding
    assert "a-name-from-cdk-json" in result.files["Storage.template.json"]
    # The next app meets neither its files nor its context.
    (folder / "infra/stacks/storage.py").write_text("raise ValueError('no')\n")
    result = pool.submit(read_project(folder), HANG_S).result()
    assert result.finding is not None and result.finding.message.startswith("infra/stacks/storage.py line 1")


HELD = """
import os
import aws_cdk as cdk
from aws_cdk import aws_s3_assets as assets

app = cdk.App()
stack = cdk.Stack(app, os.environ["STAGE"])
assets.Asset(stack, "Site", path="site")
cdk.CfnResource(stack, "Topic", type="AWS::SNS::Topic")
app.synth()
"""


def test_variables_of_the_command_empty_folders_and_a_folder_as_program(tmp_path: Path, pool: Pool) -> None:
    folder = project(tmp_path, {"infra/__main__.py": HELD}, app="STAGE=Held python infra", context=None)
    (folder / "site/empty").mkdir(parents=True)
    result = pool.submit(read_project(folder), HANG_S).result()
    assert result.finding is None, result.finding
    assert "Held.template.json" in result.files
    # The next app does not have the variable.
    result = pool.submit(HELD.encode(), HANG_S).result()
    assert result.finding is not None and "KeyError" in result.finding.message


LOOKUP = """
import pathlib
import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_ssm as ssm
seen = pathlib.Path("seen.txt")
again = seen.exists()
seen.write_text("x")
app = cdk.App()
stack = cdk.Stack(app, "S", env={"account": "123456789012", "region": "us-east-1"})
s3.Bucket(stack, "Again" if again else "First")
ssm.StringParameter.value_from_lookup(stack, "/name", "unknown")
app.synth()
"""


def test_an_app_that_asks_for_context_finds_its_files_again(pool: Pool) -> None:
    result = pool.submit(LOOKUP.encode(), HANG_S).result()
    assert "Again" in result.files["S.template.json"], result.finding
    result = pool.submit(b"import os\nassert sorted(os.listdir()) == ['app.py', 'cdk.out']\n", HANG_S).result()
    assert result.finding is not None and result.finding.klass == "no_stack"
