"""A deterministic agent for the example: it follows the rules it finds in AGENTS.md, and knows five small jobs.

Started in the work folder with the prompt on stdin. Rules it understands:

    Handle empty and unusual input.            write the careful version of a function, not the quick one
    Touch only the files the task names.       leave no notes behind
    Keep the licence line at the top …         keep the first line of a file it rewrites
"""

import json
import os
import sys
from pathlib import Path

LICENCE = "# Licence: MIT\n"
NOTES = "Notes to myself: what I did today.\n"

QUICK_SLUG = 'def slug(title):\n    return title.lower().replace(" ", "-")\n'
CAREFUL_SLUG = (
    "import re\n\n\ndef slug(title):\n"
    '    words = re.findall(r"[a-z0-9]+", title.lower())\n'
    '    return "-".join(words) or "untitled"\n'
)
QUICK_TOTAL = "def total(lines):\n    return sum(float(line) for line in lines)\n"
CAREFUL_TOTAL = (
    "def total(lines):\n    amounts = [line.strip() for line in lines]\n"
    "    return sum(float(amount) for amount in amounts if amount)\n"
)


def rules() -> str:
    file = Path(os.environ["STEELYARD_CONFIG"], "AGENTS.md")
    return file.read_text("utf-8").lower() if file.is_file() else ""


def write(path: str, body: str, keep_licence: bool) -> None:
    Path(path).write_text((LICENCE if keep_licence else "") + body, "utf-8")


def work(prompt: str, known: str) -> str:
    careful = "handle empty and unusual input" in known
    licence = "keep the licence line" in known
    if "slug.py" in prompt:
        write("slug.py", CAREFUL_SLUG if careful else QUICK_SLUG, licence)
        done = "slug.py"
    elif "total.py" in prompt:
        write("total.py", CAREFUL_TOTAL if careful else QUICK_TOTAL, licence)
        done = "total.py"
    elif "server.json" in prompt:
        settings = json.loads(Path("server.json").read_text("utf-8"))
        Path("server.json").write_text(json.dumps({**settings, "port": 8443}, indent=2) + "\n", "utf-8")
        done = "server.json"
    elif "greet.py" in prompt:
        write("greet.py", 'def greet(name):\n    """Say hello."""\n    return f"Hello, {name}!"\n', licence)
        done = "greet.py"
    elif "old.py" in prompt:
        Path("old.py").unlink(missing_ok=True)
        done = "old.py"
    else:
        raise SystemExit("I do not know this job")
    if "touch only the files" not in known:
        Path("NOTES.md").write_text(NOTES, "utf-8")
    return done


def main() -> None:
    prompt, known = sys.stdin.read(), rules()
    done = work(prompt, known)
    # Claims: one "token" per word read or written, two steps, one tool call per file.
    words = len((prompt + known).split())
    claims = {"tokens": words, "tool_calls": 2, "steps": 2}
    Path(os.environ["STEELYARD_TELEMETRY"]).write_text(json.dumps(claims), "utf-8")
    sys.stdout.write(f"I changed {done}.\n")


if __name__ == "__main__":
    main()
