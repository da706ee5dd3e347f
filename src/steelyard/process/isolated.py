"""How every process of ours begins: what it was started beside decides nothing.

A repository that is evaluated may hold `click.py`, `sitecustomize.py`, a `.env` or a `.git/config` that names
programs. So a process begins in a folder that nobody but the machine's owner writes to, with an environment that the
caller names, and Python searches neither its working folder nor the user's own packages for modules. Keys of providers
reach only the processes that call them (`own_environment`).
"""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

FOLDER = Path("/")
"""Where processes begin: it has no parents that could hold a `.git` or a `.env`, and only root writes to it."""

_PLACES = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LANGUAGE", "TERM", "LD_LIBRARY_PATH"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    }
)
_PREFIXES = ("LC_", "XDG_")
"""Variables that say where things are, in which language, and how the network is reached."""


def python(*words: str | os.PathLike[str]) -> list[str]:
    """The command that starts this Python with these arguments: without its working folder or the user's packages."""
    return [sys.executable, "-P", *([] if _installed_for_user() else ["-s"]), *(os.fspath(word) for word in words)]


def environment(*prefixes: str, **extra: str) -> dict[str, str]:
    """Variables for a process that needs no key: where things are, and those whose names begin with `prefixes`."""
    names = (name for name in os.environ if name in _PLACES or name.startswith((*_PREFIXES, *prefixes)))
    return {**{name: os.environ[name] for name in names}, **searched(), **extra}


def own_environment(**extra: str) -> dict[str, str]:
    """All variables of this process, for one that does its work: a worker, or a program with the user's settings."""
    return {**os.environ, **searched(), **extra}


@contextmanager
def neutral_folder() -> Generator[None]:
    """Work outside any repository for a while: Inspect asks git about its working folder and loads a `.env` there."""
    # A descriptor leads back even if the folder has been renamed meanwhile.
    before = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    os.chdir(FOLDER)
    try:
        yield
    finally:
        os.fchdir(before)
        os.close(before)


def searched() -> dict[str, str]:
    """Variables that say where a Python searches for modules, so that those which a child starts are as careful."""
    # The child starts in another folder, where a relative entry would mean something else.
    absolute = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)]
    path = {"PYTHONPATH": os.pathsep.join(absolute)} if "PYTHONPATH" in os.environ else {}
    return {**path, "PYTHONSAFEPATH": "1", **({} if _installed_for_user() else {"PYTHONNOUSERSITE": "1"})}


def _installed_for_user() -> bool:
    """Whether Steelyard itself is one of the user's own packages (`pip install --user`)."""
    return bool(site.ENABLE_USER_SITE) and Path(__file__).is_relative_to(site.getusersitepackages())
