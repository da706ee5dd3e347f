"""Synthesizes many apps in one process with a warm jsii kernel: a JSON list of [name, source] in, a JSON object out.

Run as a script so that the kernel never lives in the process of the tests. The working folder is emptied between apps.
"""

import contextlib
import json
import os
import shutil
import sys
from pathlib import Path

from steelyard.bench.cdk_synth.intent.stacks import templates


def synthesized(source: str, out: Path) -> dict[str, object]:
    for path in Path.cwd().iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    try:
        exec(compile(source, "app.py", "exec"), {"__name__": "__main__"})
    except Exception as error:
        return {"error": f"{type(error).__name__}: {str(error)[:400]}"}
    files = {str(path.relative_to(out)): path.read_text() for path in out.glob("**/*.json")}
    return {"templates": templates(files)}


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    # Node reads CDK_OUTDIR when it starts, so one folder serves all apps.
    out = Path.cwd() / "out"
    os.environ["CDK_OUTDIR"] = str(out)
    with contextlib.redirect_stdout(sys.stderr):
        answers = {name: synthesized(source, out) for name, source in asked}
    json.dump(answers, sys.stdout)
