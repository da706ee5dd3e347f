"""pytest for a sandbox whose Python lacks it, as that of a distribution does: the one installed beside Steelyard."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

FOLDER = "/run/steelyard/packages"
"""Where it is inside; searched last, so that a pytest of the sandbox comes first."""
_MODULES = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")
"""What it consists of and imports."""


@cache
def pytest_library() -> tuple[tuple[Path, str], ...]:
    """(host path, path inside) of each of them; none if one is not installed here."""
    files = [Path(spec.origin) for name in _MODULES if (spec := find_spec(name)) and spec.origin]
    places = [file.parent if file.name == "__init__.py" else file for file in files]
    return tuple((place, f"{FOLDER}/{place.name}") for place in places) if len(places) == len(_MODULES) else ()
