"""The file of a submission: a zip archive of `manifest.json`, `board.json` and `logs/0000.eval`, `logs/0001.eval`, …

Its members are stored, not compressed (a log is compressed already), so that it unpacks to no more than its own size.
It comes from strangers: a member of another name, a link, an encrypted or compressed one is refused, members are
unpacked under names of our own, and each must have the hash that the manifest gives it.
"""

from __future__ import annotations

import hashlib
import shutil
import stat
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from pydantic import Field, ValidationError

from steelyard import artifact
from steelyard.errors import ArtifactError, InputError, boundary, one_line
from steelyard.yamlfile import Strict, sentence

if TYPE_CHECKING:
    from steelyard.location import Location

MANIFEST, BOARD = "manifest.json", "board.json"
_MOST_LOGS = 10_000
_BLOCK = 1 << 20
_ENCRYPTED = 0x1


class Part(Strict):
    """One member of the archive."""

    sha256: str
    size: Annotated[int, Field(ge=0)]


class Manifest(Strict):
    """What a submission says of itself."""

    schema_version: Literal[1] = 1
    suite: str
    """Whose board it is, as in the board's metadata."""
    scorer: str | None = None
    """Which scores count, as the submitter chose."""
    diagrams: Literal["image", "text"] | None = None
    versions: dict[str, str]
    """Of Python, Steelyard and Inspect on the submitter's machine."""
    files: Annotated[dict[str, Part], Field(max_length=_MOST_LOGS + 1)]


class Unpacked(NamedTuple):
    """A submission on this disk."""

    manifest: Manifest
    board: Path
    logs: tuple[Path, ...]


def pack(target: Location, board: str, logs: Sequence[Path], about: Mapping[str, object]) -> Manifest:
    """Write a submission of these logs; `about` are the fields of the manifest besides its files."""
    with artifact.scratch_folder("steelyard-submission-") as work:
        (work / BOARD).write_text(board, "utf-8")
        members = {BOARD: work / BOARD, **{_log_name(number, log): log for number, log in enumerate(logs)}}
        parts = {name: Part(sha256=_sha256(path), size=path.stat().st_size) for name, path in members.items()}
        manifest = Manifest.model_validate({**about, "files": parts})
        made = work / "bundle.zip"
        with (
            boundary(ArtifactError, f"cannot write {target}"),
            zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive,
        ):
            archive.writestr(MANIFEST, artifact.json_text(manifest.model_dump(mode="json")))
            for name, path in members.items():
                archive.write(path, name)
        artifact.write_bytes(target, made.read_bytes())
    return manifest


def unpack(path: Path, folder: Path) -> Unpacked:
    """Unpack a submission into an empty folder; raises `InputError` if it is not one, or is made to do harm."""
    # Reading one byte gives a clear error if this is a folder or cannot be read.
    size = len(artifact.read_head(path, 1)) and path.stat().st_size
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive, path, size)
            manifest = _manifest(archive, members.pop(MANIFEST, None), path)
            if set(members) != set(manifest.files):
                odd = sorted(set(members) ^ set(manifest.files))
                raise InputError(f"{path}: its manifest and its members differ: {_shown(odd[0])}")
            places = {name: folder / _place(name) for name in members}
            for name, info in members.items():
                _extract(archive, info, places[name], manifest.files[name], path)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, OSError, RuntimeError, ValueError) as error:
        raise InputError(f"{path} is not a submission, or is damaged: {one_line(str(error), 200)}") from error
    if BOARD not in places:
        raise InputError(f"{path} has no {BOARD}")
    return Unpacked(manifest, places.pop(BOARD), tuple(places[name] for name in sorted(places)))


def _members(archive: zipfile.ZipFile, path: Path, size: int) -> dict[str, zipfile.ZipInfo]:
    """Name → member; raises unless every one is what `pack` writes."""
    infos = archive.infolist()
    if len(infos) > _MOST_LOGS + 2:
        raise InputError(f"{path} has {len(infos)} members, more than any submission")
    known: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        if (why := _refusal(info)) is not None or info.filename in known:
            raise InputError(f"{path}: the member {_shown(info.filename)} {why or 'is there twice'}")
        known[info.filename] = info
    # Members that share bytes would unpack to more than the file holds.
    if sum(info.file_size for info in infos) > size:
        raise InputError(f"{path}: its members are larger than the file itself")
    return known


def _refusal(info: zipfile.ZipInfo) -> str | None:
    # The upper 16 bits are the Unix mode of the file.
    if stat.S_ISLNK(info.external_attr >> 16):
        return "is a link"
    if info.filename not in (MANIFEST, BOARD) and info.filename != _expected(info.filename):
        return "has no place in a submission"
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size:
        return "is compressed; submissions store their members"
    return None


def _expected(name: str) -> str | None:
    """The name that `pack` would give the log of this number; None if it gives no such name."""
    path = PurePosixPath(name)
    number = path.stem
    return _log_name(int(number), path) if number.isascii() and number.isdigit() and len(number) == 4 else None


def _log_name(number: int, log: Path | PurePosixPath) -> str:
    return f"logs/{number:04d}{'.json' if log.suffix == '.json' else '.eval'}"


def _place(name: str) -> str:
    """Where a member is unpacked: its own last part, because only known names come here."""
    return PurePosixPath(name).name


def _manifest(archive: zipfile.ZipFile, info: zipfile.ZipInfo | None, path: Path) -> Manifest:
    if info is None:
        raise InputError(f"{path} has no {MANIFEST}: it is not a submission", cure="steelyard bench submit makes one")
    if info.file_size > artifact.READ_LIMIT:
        raise InputError(f"{path}: its {MANIFEST} is too large")
    data = artifact.parse_json(archive.read(info).decode("utf-8"), f"{path}: {MANIFEST}")
    try:
        return Manifest.model_validate(data)
    except ValidationError as error:
        raise InputError(f"{path}: {MANIFEST}: {sentence(error)}") from error


def _extract(archive: zipfile.ZipFile, info: zipfile.ZipInfo, place: Path, part: Part, path: Path) -> None:
    # "x" never writes over what is there.
    with archive.open(info) as source, place.open("xb") as target:
        shutil.copyfileobj(source, target, _BLOCK)
    if place.stat().st_size != part.size or _sha256(place) != part.sha256:
        raise InputError(f"{path}: {_shown(info.filename)} is not the file that the manifest names")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _shown(name: str) -> str:
    return repr(one_line(name, 80))
