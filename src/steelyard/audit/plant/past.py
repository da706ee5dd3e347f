"""Real bugs of a repository: commits that mend source without adding anything, with tests that turned green.

The document is the repository before the commit; the right code is the same with the commit's files of source, so that
change logs and documentation of the fix are on neither side.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection
from functools import partial

from steelyard.audit.plant.planting import Memory, Planting, PlantSpec, Tell, Written, refuse_other
from steelyard.audit.plant.record import PlantRecord, Proved
from steelyard.audit.plant.write import KeyEntry, UnitDraft, as_diff, as_document, write_suite, write_unit
from steelyard.errors import SandboxError, SteelyardError, ToolchainError
from steelyard.proof.baseline import furnished
from steelyard.proof.candidates import Candidate, spread
from steelyard.proof.history import files_at, hunks
from steelyard.proof.prove import Proof, prove
from steelyard.proof.search import search
from steelyard.proof.suite import run_tests
from steelyard.sandbox.environment import Environment
from steelyard.tree import File, Tree, lay_over, without


class _Dropped(SteelyardError):
    """A commit that fixes no bug we can prove."""


def plant_past(spec: PlantSpec, tell: Tell) -> Planting:
    """One document for each bug."""
    refuse_other(spec.out)
    candidates, _ = search(spec.repo, spec.ref, spec.limits, most=spec.depth)
    memory, states = Memory(spec.out), Counter[str]()
    written: list[Written] = []
    listed: list[tuple[str, str, bool]] = []
    clean: tuple[Candidate, Tree] | None = None
    for candidate in spread(candidates):
        if len(written) >= spec.most:
            break
        tell(candidate.commit.subject, len(written), spec.most)
        name = f"bug-{candidate.commit.short}"
        known = memory.get("past", spec.form, candidate.commit.sha)
        # A document that is remembered and no longer there is written again.
        if known is None or (not known["reason"] and not (spec.out / name).is_dir()):
            known = {"reason": _reason(spec, candidate, name)}
            # A failure of ours may not happen next time.
            if not known["reason"].startswith("ours: "):
                memory.put(known, "past", spec.form, candidate.commit.sha)
        states[known["reason"] or "kept"] += 1
        if not known["reason"]:
            written.append(Written(name, ("real bug",), len(candidate.source)))
            listed.append((name, _file(spec), True))
            clean = (candidate, files_at(spec.repo, candidate.commit.sha))
    if clean is not None:
        listed.append((_control(spec, *clean), _file(spec), False))
        write_suite(spec.out, f"{spec.repo.name}-bugs", listed)
    return Planting(tuple(written), dict(states.most_common()))


def _file(spec: PlantSpec) -> str:
    return "change.diff" if spec.form == "diff" else "document.md"


def _control(spec: PlantSpec, candidate: Candidate, new: Tree) -> str:
    """The code after a fix, or the fix itself: nothing that we know of is wrong with it."""
    old = files_at(spec.repo, candidate.commit.parent)
    if spec.form == "diff":
        document = as_diff(old, new, candidate.source)
    else:
        document = as_document(spec.repo.name, new, [path for path in candidate.source if path in new])
    write_unit(spec.out, UnitDraft("clean", spec.repo.name, new, new, document))
    return "clean"


def _reason(spec: PlantSpec, candidate: Candidate, name: str) -> str:
    """Writes the document of a bug; why there is none, if there is none."""
    try:
        write_unit(spec.out, _draft(spec, candidate, name))
        return ""
    except (SandboxError, ToolchainError) as error:
        return f"ours: {error}"
    except SteelyardError as error:
        return str(error)


def _draft(spec: PlantSpec, candidate: Candidate, name: str) -> UnitDraft:
    commit = candidate.commit
    old, new = files_at(spec.repo, commit.parent), files_at(spec.repo, commit.sha)
    if _definitions(new, candidate.source) - _definitions(old, candidate.source):
        raise _Dropped("adds something new")
    ready = furnished(new, commit.date)
    extra = {path: file for path, file in ready.tree.items() if path not in new}
    tests = {path: new[path] for path in candidate.tests if path in new}
    wrong = lay_over(lay_over(without(old, candidate.tests), tests), extra)
    gone = tuple(path for path in candidate.source if path in old and path not in new)
    fixed = {path: new[path] for path in candidate.source if path in new}
    right = lay_over(without(wrong, gone), fixed)
    proof = _proof(spec, candidate, ready.packages, wrong, right)
    places = _places(spec, candidate, old)
    entry = KeyEntry("real bug", places, "", commit.subject, proof.turned[:5])
    seen = lay_over(old, extra)
    if spec.form == "diff":
        document = as_diff(right, wrong, candidate.source)
    else:
        document = as_document(f"{spec.repo.name} at {commit.parent[:10]}", seen, [path for path, _, _ in places])
    proved = {"P01": Proved(kind="real bug", tests=proof.turned[:5])}
    record = PlantRecord(commit=commit.sha, date=commit.date, problems=proved, gone=gone, steady=proof.steady)
    return UnitDraft(name, commit.subject, seen, right, document, (entry,), record)


def _proof(spec: PlantSpec, candidate: Candidate, packages: Environment, wrong: Tree, right: Tree) -> Proof:
    suites = [path for path in candidate.suites if path in right]
    run = partial(run_tests, packages=packages, files=suites, timeout_s=spec.timeout_s)
    proof = prove(lambda: run(wrong), lambda: run(right))
    if proof.problem:
        raise _Dropped(proof.problem)
    return proof


def _definitions(tree: Tree, paths: Collection[str]) -> set[str]:
    """Names of the functions and classes in these files."""
    found: set[str] = set()
    for path in paths:
        try:
            nodes = ast.walk(ast.parse(tree.get(path, File()).data))
            found |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        except (SyntaxError, ValueError):
            raise _Dropped(f"{path} is not Python of today") from None
    return found


def _places(spec: PlantSpec, candidate: Candidate, old: Tree) -> tuple[tuple[str, int, int], ...]:
    """The lines before the fix that it changes; where it only adds, the line it adds after."""
    changed = [hunk for hunk in hunks(spec.repo, candidate.commit, candidate.source) if hunk.path in old]
    if not changed:
        raise _Dropped("changes no line that was there")
    return tuple((hunk.path, max(1, hunk.old), max(1, hunk.old) + max(0, hunk.old_count - 1)) for hunk in changed)
