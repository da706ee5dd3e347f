"""Fill jsii's package cache: run once on the host, with trusted packages only.

Usage: unpack.py GUARD_TARBALL (environment: JSII_NODE, JSII_RUNTIME_PACKAGE_CACHE_ROOT). Waits for the type indexes
that jsii's kernel builds in the background, because a read-only cache cannot get them later.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from pathlib import Path

INDEX = ".jsii.runtime.v1.json"
PATIENCE_S = 600


def main(guard: str) -> int:
    """Load everything once; 0 when every package has its index."""
    importlib.import_module("aws_cdk")
    from jsii._runtime import kernel

    kernel.load("steelyard-guard", "1.0.0", guard)
    root = Path(os.environ["JSII_RUNTIME_PACKAGE_CACHE_ROOT"])
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        packages = [marker.parent for marker in root.rglob(".jsii-runtime-package-cache")]
        if packages and all((package / INDEX).exists() for package in packages):
            return 0
        time.sleep(0.1)
    return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
