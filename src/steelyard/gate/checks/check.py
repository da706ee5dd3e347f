"""What every kind of check shares: its model, what it looks at, and how it ends.

A kind is one module of this package with a pydantic model (what a person writes in `task.yaml`) whose `evaluate`
decides. `checks/__init__.py` lists the kinds.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field

from steelyard.gate.agents.tool_call import ToolCall
from steelyard.gate.settings import Name
from steelyard.gate.steps import Activation
from steelyard.sandbox.choose import BUBBLEWRAP, Sandbox
from steelyard.sandbox.dependencies import NOTHING, Dependencies
from steelyard.sandbox.environment import PYTHON
from steelyard.tree import Tree, safe_path
from steelyard.yamlfile import Strict


class Assessment(NamedTuple):
    """What a check found."""

    passed: bool
    message: str
    """One line for a person."""
    output: str = ""
    """The tail of what it printed."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """How one named check of a task ended."""

    name: str
    kind: str
    passed: bool
    message: str
    output: str = ""
    """The tail of what it printed."""


@dataclass(frozen=True, slots=True)
class CheckInput:
    """What the checks of one task look at."""

    tree: Tree
    """The agent's tree with fresh copies of the protected files."""
    changed: Mapping[str, str]
    """Path → `added`, `removed` or `changed` by the agent."""
    foreign: frozenset[str]
    """Files of the tree that are the agent's: neither the task's own nor put back."""
    archive: bytes
    """The tree as a tar archive, ready to be unpacked in a sandbox."""
    tools: tuple[str, ...] = ()
    """Programs of the host that the sandboxes also contain; see `tools`."""
    sandbox: Sandbox = BUBBLEWRAP
    """Where commands run."""
    dependencies: Dependencies = NOTHING
    """What the sandboxes also contain."""
    answer: str = ""
    """The agent's final answer."""
    calls: tuple[ToolCall, ...] | None = None
    """The tools it called; None if that is unknown."""
    activation: Activation | None = None
    """What the agent did with the skill under test; None if it is not in this arm."""

    @property
    def python(self) -> str:
        """The Python of its sandboxes."""
        # Packages are installed for a Python of their own.
        return self.sandbox.python if self.dependencies.packages is None else PYTHON


def _relative(path: str) -> str:
    plain = safe_path(path)
    if plain is None:
        raise ValueError(f"{path!r} must be a relative path that stays inside the folder")
    return plain


Inside = Annotated[str, AfterValidator(_relative)]
"""A relative path that cannot leave its folder."""

Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]
"""A time limit of at most one day."""


class CheckModel(Strict):
    name: Name | None = None
    """How reports call it; made from kind and path when absent."""

    @property
    def label(self) -> str:
        """The name in reports."""
        return self.name or f"{getattr(self, 'kind', '')} {self.subject}".strip()

    @property
    def subject(self) -> str:
        """What the check is about, for its label."""
        return str(getattr(self, "path", ""))

    @abstractmethod
    def evaluate(self, work: CheckInput) -> Assessment:
        """Decide whether the check holds."""


def unique_names(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels, with a number behind one that repeats."""
    names: list[str] = []
    for label in labels:
        name, number = label, 2
        while name in names:
            name, number = f"{label} ({number})", number + 1
        names.append(name)
    return tuple(names)
