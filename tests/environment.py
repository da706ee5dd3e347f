"""The settings of whoever runs the tests decide nothing: not their variables, files at home, time zone, umask, signals.

What stays says where things are. A variable that is not named here does not reach a test, so neither does one that
nobody has thought of: proxies, colours, languages, keys, warnings, the workflow of GitHub whose summary would be
written.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

_PLACES = {
    *("PATH", "TMPDIR", "LD_LIBRARY_PATH", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "STEELYARD_CACHE"),
    *("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE"),
    *("GOPATH", "GOROOT", "GOCACHE"),
}
_PREFIXES = ("DOCKER_", "PIP_", "PYENV_", "PYTEST_", "COV_", "COVERAGE_", "HYPOTHESIS_", "CARGO_", "RUSTUP_")
_SWITCHES = {f"STEELYARD_{name}" for name in ("ALL_REFERENCES", "CLIENTS", "ENGINES", "RECORD", "TEST_IMAGE")}
"""Choose tests."""

_FIXED = {
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "GIT_CONFIG_NOSYSTEM": "1",
    # Nobody controls an evaluation of the tests from outside; in each process the server takes a second to load.
    "INSPECT_EVAL_CTL_SERVER": "false",
}
_SHARED = (".cache", ".local", ".pyenv", ".cargo", ".rustup", ".docker", "go")
"""Folders at home that hold programs and what was prepared, not settings."""


def settle() -> None:
    """Make the environment of this process, and so of its children, the one of the tests."""
    os.environ["TMPDIR"] = tempfile.tempdir = temporary_folder(tempfile.gettempdir(), "/var/tmp", str(Path.home()))
    home = Path(tempfile.mkdtemp(prefix="steelyard-tests-home-"))
    atexit.register(_remove, home, os.getpid())
    for name in _SHARED:
        if (place := Path.home() / name).is_dir():
            (home / name).symlink_to(place.resolve())
    (home / ".gitconfig").write_text("[user]\n\tname = T\n\temail = t@example.com\n")
    for option in os.environ.get("PYTHONWARNINGS", "").split(","):  # children of multiprocessing would get them
        if option in sys.warnoptions:
            sys.warnoptions.remove(option)
    kept = {name: value for name, value in os.environ.items()
            if name in _PLACES | _SWITCHES or name.startswith(_PREFIXES)}  # fmt: skip
    os.environ.clear()
    os.environ.update({**kept, **_FIXED, "HOME": str(home)})
    time.tzset()
    os.umask(0o022)
    # What a script starts in the background ignores Ctrl-C, and a test that interrupts itself would wait for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def temporary_folder(usual: str, *others: str, runs: Callable[[str], bool] | None = None) -> str:
    """The usual folder, unless no program may be started in it (`noexec`): tests write programs and start them."""
    return next((folder for folder in (usual, *others) if (runs or _programs_run)(folder)), usual)


def _programs_run(folder: str) -> bool:
    return os.access(folder, os.W_OK) and not os.statvfs(folder).f_flag & os.ST_NOEXEC


def _remove(home: Path, owner: int) -> None:
    if os.getpid() == owner:  # not in a fork
        shutil.rmtree(home, ignore_errors=True)
