"""docs/scoring.md §1.5, extraction: how models really answer."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.bench.cdk_synth.extract import extract

APP = 'import aws_cdk as cdk\napp = cdk.App()\ncdk.Stack(app, "S")\napp.synth()\n'
STACK = "import aws_cdk as cdk\nclass Mine(cdk.Stack):\n    pass\n"
USE = "app = cdk.App()\nMine(app, 'M')\napp.synth()\n"
README = "# Deploying\n\n" + "Read this first, it is long.\n" * 40


CLASS = (
    'import aws_cdk as cdk\n\nclass S(cdk.Stack):\n    """One\n  2."""\n\napp = cdk.App()\nS(app, "S")\napp.synth()\n'
)
TABBED = CLASS.replace("    ", "\t")
TEST = "import aws_cdk as cdk\nfrom app import S\ndef test_it():\n    S(cdk.App(), 'T')\n"
MODULE_TEST = "import app, aws_cdk as cdk\ndef test_it():\n    app.S(cdk.App(), 'T')\n"


def fenced(code: str, tag: str = "python", fence: str = "```") -> str:
    return f"{fence}{tag}\n{code}{fence}\n"


def margin(before: str, code: str) -> str:
    return "".join(f"{before}{line}\n" if line else "\n" for line in code.splitlines())


# (what it is, the answer, the code that must come out)
TABLE = [
    ("one block", fenced(APP), APP),
    ("prose around", f"Sure! Here it is:\n\n{fenced(APP)}\nRun `cdk synth`.\n", APP),
    ("python3", fenced(APP, "python3"), APP),
    ("py", fenced(APP, "py"), APP),
    ("capitals", fenced(APP, "Python"), APP),
    ("title after the tag", fenced(APP, 'python title="app.py"'), APP),
    ("file name glued to the tag", fenced(APP, "python:app.py"), APP),
    ("attributes", fenced(APP, "{.python .numberLines}"), APP),
    ("tildes", fenced(APP, "python", "~~~"), APP),
    ("four backticks", fenced(APP, "python", "````"), APP),
    ("CRLF", fenced(APP).replace("\n", "\r\n"), APP),
    ("lone CR", fenced(APP).replace("\n", "\r"), APP),
    ("byte order mark", "\ufeff" + fenced(APP), APP),
    ("untagged", fenced(APP, ""), APP),
    ("no fence", APP, APP),
    ("never closed", f"```python\n{APP}", APP + "\n"),
    ("inside a list", "1. The app:\n   ```python\n" + "".join(f"   {x}\n" for x in APP.splitlines()) + "   ```\n", APP),
    ("behind a list mark", f"- ```python\n{APP}```\n", APP),
    ("behind a list mark, a class", f"- ```python\n{CLASS}```\n", CLASS),
    ("behind a number, indented", "1. ```python\n" + margin("   ", CLASS) + "   ```\n", CLASS),
    ("behind a number, indented by more", "1. ```python\n" + margin("    ", CLASS) + "    ```\n", CLASS),
    ("behind a number, indented by tabs", "1. ```python\n" + margin("\t", TABBED) + "\t```\n", TABBED),
    ("behind a dash, indented", "- ```python\n" + margin("  ", CLASS) + "  ```\n", CLASS),
    ("behind a dash inside a list", "  - ```python\n" + margin("    ", CLASS) + "    ```\n", CLASS),
    ("behind a dash, quoted", "> - ```python\n" + margin(">   ", CLASS) + ">   ```\n", CLASS),
    ("behind a number, a comment first", "1. ```python\n   # app.py\n" + margin("   ", CLASS) + "   ```\n",
     "# app.py\n" + CLASS),
    ("indented by a tab", "1. Create\n\n\t```python\n" + margin("\t", CLASS) + "\t```\n", CLASS),
    ("indented by a tab, code with tabs", "\t```python\n" + margin("\t", TABBED) + "\t```\n", TABBED),
    ("a fence with a tab, code with spaces", "\t```python\n" + margin("    ", CLASS) + "\t```\n", CLASS),
    ("only the fence is indented", f"  ```python\n{TABBED}  ```\n", TABBED),
    ("quoted without a space at the fence", ">```python\n" + margin("> ", CLASS) + ">```\n", CLASS),
    ("quoted", "> ```python\n" + "".join(f"> {line}\n" for line in APP.splitlines()) + "> ```\n", APP),
    ("shell before", fenced("pip install aws-cdk-lib\n", "bash") + fenced(APP), APP),
    ("a larger README block", fenced(APP) + fenced(README, "markdown"), APP),
    ("a larger README block before the code", fenced(README, "markdown") + fenced(APP), APP),
    ("a README with a block inside, before the code", fenced(fenced("pip\n", "bash"), "md") + fenced(APP), APP),
    ("a list of files before the code", fenced("app.py\ncdk.json\n", "text") + "Then:\n" + fenced(APP), APP),
    ("a list of files before untagged code", fenced("app.py\n", "text") + "Then:\n" + fenced(APP, ""), APP),
    ("an untagged list of files before the code", fenced("a/ b\n", "") + fenced(APP), APP),
    ("wrapped in an untagged fence", fenced(fenced(APP), ""), APP),
    ("a larger untagged README", fenced(APP, "") + fenced(README, ""), APP),
    ("requirements untagged, code tagged", fenced("aws-cdk-lib==2.275.0\n", "") + fenced(APP), APP),
    ("draft, then the real one", fenced(APP.replace("S", "Draft")) + "Better:\n" + fenced(APP), APP),
    ("the real one, then a snippet", fenced(APP) + "And:\n" + fenced("queue = sqs.Queue(stack, 'Q')\n"), APP),
    ("the app, then its test", fenced(CLASS) + "To test it:\n" + fenced(TEST), CLASS),
    ("the app, then a test of the module", fenced(CLASS) + fenced(MODULE_TEST), CLASS),
    ("two files and a test", fenced(STACK) + fenced(USE) + fenced(TEST), STACK + "\n" + USE),
    ("what imports the app is all there is of an app", fenced(STACK) + fenced("from app import Mine\n" + USE),
     STACK + "\nfrom app import Mine\n" + USE),
    ("two files", fenced(STACK) + fenced(USE), STACK + "\n" + USE),
    ("two files, the first imports", fenced("import aws_cdk as cdk\n") + fenced(USE.replace("Mine", "cdk.Stack")),
     "import aws_cdk as cdk\n\n" + USE.replace("Mine", "cdk.Stack")),
    ("pieces that do not parse together", fenced("def f(\n") + fenced("x = 1\ny = 2\n"), "x = 1\ny = 2\n"),
    ("star import stands alone", fenced("x = 1\n") + fenced("from aws_cdk import *\nApp().synth()\n"),
     "from aws_cdk import *\nApp().synth()\n"),
    ("wrapped in markdown", f"```markdown\n# Answer\n{fenced(APP)}```\n", APP),
    ("wrapped in four ticks", f"````md\n{fenced(APP)}````\n", APP),
    ("a fence inside a string", fenced(f'DOC = """\n```bash\ncdk synth\n```\n"""\n{APP}'),
     f'DOC = """\n```bash\ncdk synth\n```\n"""\n{APP}'),
    ("thinking first", f"<think>\nmaybe\n{fenced('x = 1' + chr(10))}</think>\n{fenced(APP)}", APP),
    ("thinking, opening tag lost", f"so I will write it</think>\n\n{fenced(APP)}", APP),
    ("thinking in other words", f"<Reasoning>hm</Reasoning>{fenced(APP)}", APP),
    ("a tag in the code is no thinking", fenced(f'NOTE = "</think>"\n{APP}'), f'NOTE = "</think>"\n{APP}'),
    ("diff markers are taken as they stand", fenced("+import a\n-import b\n"), "+import a\n-import b\n"),
    ("a diff beside the code", fenced("-old\n+new\n", "diff") + fenced(APP), APP),
    ("broken code is still the answer", fenced("def f(:\n"), "def f(:\n"),
]  # fmt: skip

NOTHING = [
    ("empty", ""),
    ("blank", " \n\t\n"),
    ("refusal", "I'm sorry, but I can't help with that."),
    ("prose", "For this I would use S3, one stack, and least privilege throughout."),
    ("TypeScript instead", fenced("import * as cdk from 'aws-cdk-lib';\nnew cdk.App();\n", "typescript")),
    ("a shell command only", fenced("cdk init app --language python\n", "bash")),
    ("a comment only", "# just a heading\n"),
    ("empty block", "```python\n```\n"),
    ("thinking without end", f"<think>\n{fenced(APP)}"),
    ("a diff only", fenced("-old\n+new\n", "diff")),
]


@pytest.mark.parametrize(("name", "answer", "code"), TABLE, ids=[row[0] for row in TABLE])
def test_code_is_found(name: str, answer: str, code: str) -> None:
    assert extract(answer) == code


@pytest.mark.parametrize(("name", "answer"), NOTHING, ids=[row[0] for row in NOTHING])
def test_nothing_to_run(name: str, answer: str) -> None:
    assert extract(answer) is None


@given(st.text(alphabet="`~python \n\r>-1.x=():#'\"\\\x00\ud800", max_size=200))
def test_any_text_gives_code_or_none(answer: str) -> None:
    found = extract(answer)
    assert found is None or found.strip()


def test_hostile_nesting_is_survived() -> None:
    # Deep brackets and a flood of fences: no exception, and no quadratic crawl.
    assert extract(fenced("(" * 50_000 + "\n")) == "(" * 50_000 + "\n"
    assert extract("```python\n" * 20_000) is not None


FLOOD = 300_000
FILLERS = [" ", "\t", "`", "~", ">", "> ", "- ", "1. ", "1", "a", "\n", "\r\n", "<think>", "</think", "(", "'a' "]
FLOODS = ["```\n", "~~~\n", "```python\n", "```\n```python\n", "```\nx(\n", "```python\nx(\n```\n", "```text\n"]
SHRINKING = "\n".join("`" * size + "\n~~~python\n~~~" for size in range(1400, 3, -1))
"""Each of these fences would be closed by an earlier one only: the rest of the text is searched for its end in vain."""
HOSTILE = [
    *((f"{before!r} + {filler!r}", before + filler * (FLOOD // len(filler)) + "`")
      for filler in FILLERS for before in ("", "```", "~~~")),
    *((f"{flood!r}", flood * (FLOOD // len(flood))) for flood in FLOODS),
    ("shrinking fences", SHRINKING),
]  # fmt: skip


@pytest.mark.parametrize(("name", "answer"), HOSTILE, ids=[row[0] for row in HOSTILE])
@pytest.mark.no_cover  # the tracer would take most of the time
def test_a_hostile_flood_takes_seconds(name: str, answer: str) -> None:
    # CPU time, about 1 s at most; what is quadratic takes many minutes.
    started = time.process_time()
    extract(answer)
    assert time.process_time() - started < 100
