"""The settings registered in the logs of a run, and whether a later start has the same (docs/scoring.md §3.5)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from steelyard.errors import InputError
from steelyard.gate.evidence.policy import Registration
from steelyard.rows import LogRow
from steelyard.stamp import is_sealed

if TYPE_CHECKING:
    from steelyard.location import Location


def check_registration(registration: Registration, rows: Sequence[LogRow], folder: Location) -> None:
    """Raise if a log in `folder` was made under other settings; logs without any count as `auto`."""
    wanted = registration.as_metadata()
    for row in rows:
        recorded = cast(Mapping[str, Any] | None, row.stamp.extra.get("registration") if row.stamp else None)
        if recorded is not None and not is_sealed(recorded):
            raise InputError(f"the registration in {row.path} was altered", cure="choose another --log-dir")
        difference = next(differences(recorded or Registration().as_metadata(), wanted), None)
        if difference is not None:
            raise InputError(
                f"the settings of the runs in {folder} differ: {difference}",
                cure="use the registered settings, or choose another --log-dir",
            )


def differences(recorded: Mapping[str, Any], wanted: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """One sentence per setting that differs from the recorded one."""
    for name in sorted({*recorded, *wanted} - {"sha"}, key=lambda name: (name != "policy", name != "name", name)):
        before, after = recorded.get(name), wanted.get(name)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            nested = cast(Mapping[str, Any], before), cast(Mapping[str, Any], after)
            yield from differences(*nested, prefix=f"{name}.")
        elif _plain(before) != _plain(after):
            label = "policy" if prefix == "policy." and name == "name" else f"{prefix.removeprefix('policy.')}{name}"
            yield f"{label} was {_shown(before)} and is {_shown(after)}"


def _plain(value: Any) -> str:
    """As a log keeps it: tuples become lists."""
    return json.dumps(value, sort_keys=True)


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else _plain(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
