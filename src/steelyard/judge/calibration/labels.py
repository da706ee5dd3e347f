"""Labelled responses, against which a judge is measured, and the rubrics that they are graded by.

Labels are a JSONL file, one object per line: `id`, `tier`, `response`, `labels` (one number in [0, 1] per item of the
rubric) and, optionally, `task`, `labelled_by`, `note`, `rubric`, `kind` and `canary`. An id is unique per tier and a
key per object; every line labels the same items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, PrivateAttr, ValidationError

from steelyard import artifact
from steelyard.errors import InputError
from steelyard.judge.case import case
from steelyard.judge.protocol import fill, identity, rubric_identity
from steelyard.judge.rubric import SHIPPED, Rubric, load_rubric
from steelyard.yamlfile import Strict, sentence


class Label(Strict):
    """One response and the grades a person gave it."""

    id: Annotated[str, Field(min_length=1)]
    tier: str = "all"
    """Intended quality, in a word; results are also shown per tier."""
    response: str
    labels: Annotated[
        dict[str, Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]], Field(min_length=1)
    ]
    task: str = ""
    labelled_by: str = "unknown"
    note: str = ""
    rubric: str = ""
    """Which rubric of a folder of rubrics it is graded by."""
    kind: Literal["response", "attack", "canary"] = "response"
    """A `canary` is a control answer, whose grade is beyond doubt: it is reported on its own, not averaged in."""
    canary: str = ""
    """A mark for finding this file in training corpora."""
    _place: str | None = PrivateAttr(None)
    """File and line, when it was read from a file."""


def read_labels(path: str | Path) -> tuple[Label, ...]:
    """The labels in a JSONL file; `InputError` names the line."""
    lines = artifact.read_text(Path(path), 50_000_000).split("\n")  # not splitlines: a text may contain U+2028
    found: dict[tuple[str, str], Label] = {}
    for row in (_row(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()):
        if (row.id, row.tier) in found:
            raise InputError(f"{row._place}: duplicate id {row.id!r} in the tier {row.tier!r}")
        found[row.id, row.tier] = row
    if not found:
        raise InputError(f"{path} has no labelled responses")
    return tuple(found.values())


def check(rows: Sequence[Label], rubric: Rubric, source: str) -> None:
    """Every row labels exactly the rubric's items, or `InputError`; `source` names rows that come from no file."""
    expected = {item.id for item in rubric.items}
    for row in rows:
        if set(row.labels) != expected:
            labelled, items = ", ".join(sorted(row.labels)), ", ".join(sorted(expected))
            raise InputError(
                f"{row._place or source}: {row.id} labels {labelled}, but the rubric {rubric.name!r} asks for {items}"
            )


def _row(line: str, where: str) -> Label:
    artifact.parse_json(line, where)  # refuses duplicate keys, of which pydantic would silently take the last
    try:
        row = Label.model_validate_json(line)
    except ValidationError as error:
        raise InputError(f"{where}: {sentence(error)}") from error
    row._place = where
    return row


def controls(rubric: Rubric) -> tuple[Label, ...]:
    """Answers to the built-in case whose grade is beyond doubt, for a rubric that grades answers as the case does."""
    if {item.id for item in rubric.items} != {"accuracy", "completeness", "quality"}:
        return ()
    rows, slots = read_labels(SHIPPED / "cases" / "controls.jsonl"), asdict(case())
    return tuple(row.model_copy(update={"task": case().task, "response": fill(row.response, slots)}) for row in rows)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Rubrics by name, which all ask for the same items."""

    name: str
    sha: str
    """What a calibration is bound to: the hash of the rubric, or of all of several unless their owner gives one."""
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
        alone = [rubric_identity(self.first)] if len(self.rubrics) == 1 else []
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
