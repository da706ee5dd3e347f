"""Wheels without an index: a package of our own, and packages of this environment packed again from their files."""

from __future__ import annotations

import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

PYTEST = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
"""What a sandbox needs for pytest on the Pythons that are supported; all of it is plain Python."""


def write_wheel(folder: Path, name: str, version: str, module: str) -> None:
    """A wheel with one module."""
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{name}.py", module)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def repack(folder: Path, name: str) -> None:
    """The wheel of an installed package, from the files that its record lists."""
    found = distribution(name)
    files = [path for path in found.files or [] if ".." not in path.parts and "__pycache__" not in path.parts]
    with zipfile.ZipFile(folder / f"{name}-{found.version}-py3-none-any.whl", "w") as wheel:
        for path in files:
            if path.name not in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json"):
                wheel.write(str(path.locate()), str(path))
        info = next(path.parent for path in files if path.name == "METADATA")
        wheel.writestr(f"{info}/RECORD", "")


def use_only(folder: Path, cache: Path, patch: pytest.MonkeyPatch) -> None:
    """Let installations find the wheels of a folder, no index and no network."""
    for name, value in (("UV_FIND_LINKS", str(folder)), ("UV_NO_INDEX", "1"), ("UV_OFFLINE", "1")):
        patch.setenv(name, value)
    patch.setenv("STEELYARD_CACHE", str(cache))
