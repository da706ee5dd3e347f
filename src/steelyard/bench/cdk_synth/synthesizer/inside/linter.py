"""cfn-lint as a server: one JSON line of templates in, one JSON line of findings out. Runs in its own sandbox."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any


def main() -> None:
    """Load the rules once, then answer until the pipe closes."""
    config, decode, run = (import_module(f"cfnlint.{name}") for name in ("config", "decode", "runner"))
    # One region: a type that is missing in some other region says nothing about the app.
    runner = run.Runner(config.ConfigMixIn(regions=["us-east-1"]))
    for line in sys.stdin:
        findings: list[dict[str, Any]] = []
        for stack, template in json.loads(line).items():
            decoded, problems = decode.decode_str(json.dumps(template))
            matches = problems or list(runner.validate_template(decoded))
            findings += [{"stack": stack, "rule": match.rule.id, "message": match.message} for match in matches]
        sys.stdout.write(json.dumps(findings[:500]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
