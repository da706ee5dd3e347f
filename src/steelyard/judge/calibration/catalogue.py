"""The rubric for each labelled response: one for all, or one per name from a folder.

A catalogue of one rubric is bound to that rubric's hash; a catalogue of several to the hash of all of them, or to
the one its owner gives it. All rubrics of a catalogue ask for the same items.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import InputError
from steelyard.judge.calibration.labels import Label
from steelyard.judge.prompt import identity, rubric_identity
from steelyard.judge.rubric import Rubric, load_rubric


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Rubrics by name."""

    name: str
    """For reports."""
    sha: str
    """What a calibration is bound to."""
    rubrics: Mapping[str, Rubric]
    """Never empty."""

    def __post_init__(self) -> None:
        first, *others = self.rubrics.values()
        for other in others:
            if [item.id for item in other.items] != [item.id for item in first.items]:
                raise InputError(f"the rubrics {first.name!r} and {other.name!r} ask for different items")

    @property
    def identities(self) -> tuple[str, ...]:
        """Every hash under which a run may know these rubrics."""
        alone = [rubric_identity(rubric) for rubric in self.rubrics.values()] if len(self.rubrics) == 1 else []
        return tuple(dict.fromkeys((self.sha, *alone)))

    @property
    def first(self) -> Rubric:
        """The rubric whose items all others share."""
        return next(iter(self.rubrics.values()))

    def of(self, row: Label) -> Rubric:
        """The rubric for a response; `InputError` when the row names none of several."""
        if len(self.rubrics) == 1 or row.kind == "canary":
            return self.first
        if row.rubric not in self.rubrics:
            known = ", ".join(self.rubrics)
            raise InputError(f"{row.id} names the unknown rubric {row.rubric!r}; known rubrics: {known}")
        return self.rubrics[row.rubric]


def single(rubric: Rubric) -> Catalogue:
    """One rubric for every response."""
    return Catalogue(rubric.name, rubric.sha, {rubric.name: rubric})


def folder(path: Path, sha: str | None = None, name: str | None = None) -> Catalogue:
    """Every `NAME.yaml` of a folder under NAME; called `name` in reports, else like the folder."""
    rubrics = {file.stem: load_rubric(file) for file in sorted(path.glob("*.yaml"))}
    if not rubrics:
        raise InputError(f"no rubric (*.yaml) in {path}")
    return Catalogue(name or path.name, sha or identity(*map(rubric_identity, rubrics.values())), rubrics)
