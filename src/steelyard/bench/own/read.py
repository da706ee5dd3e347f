"""Reads the folder of a bench: `bench.yaml`, its item files and rubrics; all problems are raised at once.

Nothing outside the folder is read, and nothing that is not a plain file.
"""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from steelyard.artifact import read_bytes
from steelyard.bench.own.model import ITEMS, BenchFile, CategoryEntry, OwnItem, TextItem
from steelyard.bench.own.rows import read_rows, validated
from steelyard.bench.suite import reserved, shipped
from steelyard.errors import InputError, one_line
from steelyard.judge.rubric import Rubric, parse_rubric
from steelyard.location import require_folder
from steelyard.logs.identity import sha256_of
from steelyard.report import numbers
from steelyard.secrets import redact
from steelyard.yamlfile import Entry, YamlError, parse

FILE_NAME = "bench.yaml"

_FILE_LIMIT = 1_000_000
SIZE_LIMIT = 8_000_000
"""Bytes of the largest file that is read."""
SHOWN = 50
"""Problems printed one by one."""


class OwnItemsError(InputError):
    """A folder of items cannot be used; `problems` has one line for each reason."""

    def __init__(self, folder: str, problems: Sequence[str]) -> None:
        self.problems = tuple(one_line(redact(problem), 300) for problem in problems)
        """`FILE, line N: sentence`, in the order of the files."""
        self.folder = folder
        super().__init__(f"{folder}: {self._count()}: {'; '.join(self.problems)}")

    def __str__(self) -> str:
        if len(self.problems) == 1:
            return one_line(f"{self.folder}: {self.problems[0]}")
        lines = [f"  {problem}" for problem in self.problems[:SHOWN]]
        if len(self.problems) > SHOWN:
            lines.append(f"  and {len(self.problems) - SHOWN} more")
        return "\n".join([f"{one_line(self.folder, 200)}: {self._count()}", *lines])

    def _count(self) -> str:
        return numbers.things(len(self.problems), "problem")


@dataclass(frozen=True, slots=True)
class OwnCategoryData:
    """One category as read from disk."""

    key: str
    entry: CategoryEntry
    items: tuple[OwnItem, ...]
    lines: Mapping[str, int]
    """Item id → its line in the file."""
    rubric: Rubric | None
    weight: float

    def place(self, item: OwnItem) -> str:
        """Where an item is, for errors."""
        return f"{self.entry.items}, line {self.lines[item.id]}: {item.id}"

    @property
    def has_facts(self) -> bool:
        """Whether its items are texts that can be scored by facts."""
        return all(isinstance(item, TextItem) and item.facts for item in self.items)

    @property
    def sha256(self) -> str:
        """Hash of everything that shapes a score: items, rubric, and how the category scores."""
        return sha256_of(self._scored_by())

    @property
    def digest(self) -> str:
        """The same as a full sha256, for a board that shows which items were asked without showing them."""
        text = json.dumps(self._scored_by(), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def _scored_by(self) -> list[object]:
        rows = [item.model_dump(mode="json") for item in self.items]
        return [self.entry.kind, self.entry.require_intent, self.rubric.sha if self.rubric else None, rows]


@dataclass(frozen=True, slots=True)
class OwnBench:
    """A bench as read from disk."""

    folder: str
    """As the user wrote it."""
    name: str
    title: str
    categories: Mapping[str, OwnCategoryData]
    private: bool = False

    @property
    def sha256(self) -> str:
        """Hash of all items and rubrics."""
        return sha256_of({key: data.sha256 for key, data in self.categories.items()})


def read_bench(folder: str | Path) -> OwnBench:
    """The bench in `folder`; raises `OwnItemsError` with every problem in its files."""
    path = Path(folder)
    cure = "steelyard bench new DIR writes a folder to start from"
    require_folder(path, cure=cure)
    if not (path / FILE_NAME).exists():
        raise InputError(f"{folder} has no {FILE_NAME}", cure=cure)
    try:
        text = _read_inside(path, FILE_NAME, _FILE_LIMIT)
    except InputError as error:
        raise OwnItemsError(str(folder), [str(error)]) from error
    return _bench(str(folder), text)


def _bench(folder: str, text: str) -> OwnBench:
    problems: list[str] = []
    try:
        document = parse(text, FILE_NAME)
        file = document.validated(BenchFile)
    except YamlError as error:
        raise OwnItemsError(folder, [f"{FILE_NAME}, line {error.line}: {error.problem}"]) from error
    taken = reserved() | {category.key for category in shipped()}
    for key in file.categories:
        # In the leaderboard, category keys stand beside the other fields of a row.
        if key in taken:
            problems.append(f"{_place(document, key)}: the key {key} is reserved; choose another one")
    categories = {key: _category(Path(folder), key, file, document, problems) for key in file.categories}
    _require_unique(categories.values(), problems)
    if problems:
        raise OwnItemsError(folder, problems)
    return OwnBench(folder, file.name, file.title or file.name, categories, file.private)


def _place(document: Entry, *keys: str) -> str:
    return f"{FILE_NAME}, line {document.at(('categories', *keys)).line}"


def _category(folder: Path, key: str, file: BenchFile, document: Entry, problems: list[str]) -> OwnCategoryData:
    entry = file.categories[key]
    weight = 1 / len(file.categories) if entry.weight is None else float(entry.weight)
    lines: dict[str, int] = {}
    text = _text(folder, entry.items, _place(document, key, "items"), problems)
    items = _items(text, entry, lines, problems) if text is not None else ()
    rubric = _rubric(folder, entry.rubric, _place(document, key, "rubric"), problems) if entry.rubric else None
    data = OwnCategoryData(key, entry, items, lines, rubric, weight)
    for item in items:
        if isinstance(item, TextItem) and not item.facts and entry.rubric is None:
            problems.append(f"{data.place(item)}: needs facts, or {key} a rubric in {FILE_NAME}")
    return data


def _text(folder: Path, name: str, place: str, problems: list[str]) -> str | None:
    """The text of a file that `place` in `bench.yaml` names."""
    try:
        return _read_inside(folder, name)
    except InputError as error:
        problems.append(str(error) if str(error).startswith(f"{name}, line ") else f"{place}: {error}")
        return None


def _items(text: str, entry: CategoryEntry, lines: dict[str, int], problems: list[str]) -> tuple[OwnItem, ...]:
    if not entry.items.endswith((".jsonl", ".yaml", ".yml")):
        problems.append(f"{entry.items}: must end in .jsonl, .yaml or .yml")
        return ()
    model = ITEMS[entry.kind]
    items: dict[str, OwnItem] = {}
    for row in read_rows(entry.items, text, problems):
        item = validated(entry.items, row, model, problems)
        if item is not None and item.id in items:
            problems.append(f"{entry.items}, line {row.line}: duplicate id {item.id}")
        elif item is not None:
            items[item.id] = item
            lines[item.id] = row.line
    return tuple(items.values())


def _rubric(folder: Path, name: str, place: str, problems: list[str]) -> Rubric | None:
    text = _text(folder, name, place, problems)
    try:
        return parse_rubric(text, name) if text is not None else None
    except InputError as error:
        problems.append(str(error))
        return None


def _require_unique(categories: Iterable[OwnCategoryData], problems: list[str]) -> None:
    """An id names one item in the whole bench, and so does a prompt: embedded subjects look answers up by it."""
    owners: dict[str, str] = {}
    prompts: dict[str, str] = {}
    for data in categories:
        for item in data.items:
            prompt = item.input.strip()
            if item.id in owners:
                problems.append(f"{data.place(item)}: the id is also used in {owners[item.id]}")
            elif prompt in prompts:
                problems.append(f"{data.place(item)}: has the same prompt as {prompts[prompt]}")
            owners[item.id], prompts[prompt] = data.entry.items, item.id


def _read_inside(folder: Path, name: str, limit: int = SIZE_LIMIT) -> str:
    """The UTF-8 text of the file `name` below `folder`; raises `InputError` that begins with `name`."""
    path = _inside(folder, name)
    data = read_bytes(path, limit)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}, line {line}: not UTF-8 at byte {error.start}") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _inside(folder: Path, name: str) -> Path:
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name:
        raise InputError(f"{name}: must be a path inside the folder")
    path = folder / name
    try:
        real = path.resolve(strict=True)
        regular = stat.S_ISREG(real.stat().st_mode)
    except (OSError, RuntimeError) as error:
        raise InputError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or 'a loop of links'}") from error
    # Checked after resolving links: in a folder from somebody else, a link could point at any file of this machine.
    if not real.is_relative_to(folder.resolve()):
        raise InputError(f"{name}: is a link out of the folder")
    if not regular:
        raise InputError(f"{name}: is not a file")
    return path
