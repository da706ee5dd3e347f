"""Plants problems into a revision, or into the changes of commits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from steelyard.audit.plant.mutate import generated, sites
from steelyard.audit.plant.planting import Memory, Planting, PlantSpec, Tell, Written, refuse_other
from steelyard.audit.plant.record import Edit, PlantedUnit, PlantRecord, Proved
from steelyard.audit.plant.reprove import reprove
from steelyard.audit.plant.screen import Screen, Tried, chosen
from steelyard.audit.plant.site import Site, planted
from steelyard.audit.plant.write import KeyEntry, UnitDraft, as_diff, as_document, write_suite, write_unit
from steelyard.errors import InputError, SteelyardError
from steelyard.git import commit_of, git
from steelyard.proof.baseline import Baseline, Revision, baseline, revision
from steelyard.proof.candidates import Candidate, is_test, spread
from steelyard.proof.hide import without_tests
from steelyard.proof.history import Hunk, files_at, hunks
from steelyard.proof.prove import RUNS
from steelyard.proof.search import search
from steelyard.proof.suite import run_tests
from steelyard.tree import Tree

CONTROL = "clean"
"""Id of the document without problems."""
_MOST_TESTS = 5
"""Failing tests that are named as the proof of one problem."""


@dataclass(frozen=True, slots=True)
class _PlantedProblem:
    """A problem that was proved alone."""

    site: Site
    tried: Tried


@dataclass(slots=True)
class _Ground:
    """A revision in which problems are planted."""

    spec: PlantSpec
    commit: str
    date: str
    found: Revision
    base: Baseline
    memory: Memory
    states: Counter[str]
    cpu_s: float = 0.0
    naive_cpu_s: float = 0.0

    def places(self) -> list[Site]:
        """Where problems can be planted and tests run the line."""
        found = (site for path in self.source for site in sites(path, self.found.tree[path].data))
        screen = self.screen
        return [site for site in found if screen.covering(site)]

    @property
    def screen(self) -> Screen:
        return Screen(self.found, self.base, self.spec.timeout_s)

    @property
    def source(self) -> list[str]:
        tree = self.found.tree
        python = (path for path in tree if path.endswith(".py") and tree[path].link is None and not is_test(path))
        return sorted(path for path in python if not generated(tree[path].data))

    @property
    def set_aside(self) -> list[str]:
        """Tests and files that are not used."""
        tree = self.found.tree
        made = sorted(path for path in tree if path.endswith(".py") and generated(tree[path].data))
        return [
            *(f"{name}: flaky" for name in self.base.flaky),
            *(f"{name}: fails without a change" for name in self.base.broken),
            *(f"{path}: generated" for path in made),
        ]

    def kept(self, places: Sequence[Site], most: int, tell: Tell, before: int = 0) -> list[tuple[Site, Tried]]:
        """The problems that are proved and not glaring."""
        screen = self.screen

        def try_one(site: Site) -> Tried:
            names = (self.found.identity, site.id)
            known = self.memory.get(*names)
            found = Tried.from_data(known) if known is not None else screen.tried(site)
            if known is None:
                self.memory.put(found.as_data(), *names)
            self.cpu_s += found.cpu_s
            # An edit that no test notices takes one run; a proof takes all of them.
            self.naive_cpu_s += self.base.cpu_s * (RUNS if found.proof else 1 if found.cpu_s else 0)
            return found

        def progress(site: Site, done: int) -> None:
            tell(f"{site.kind} in {site.path}:{site.line}", before + done, self.spec.most)

        found, states = chosen(places, try_one, most, self.spec.seed, progress)
        self.states.update(states)
        return found


def plant_repository(spec: PlantSpec, tell: Tell) -> Planting:
    """Problems all over one revision, in documents of a few each."""
    refuse_other(spec.out)
    sha = commit_of(spec.repo, spec.ref)
    ground = _ground(spec, sha, Memory(spec.out), tell)
    places = ground.places()
    if not places:
        raise InputError("no test runs a line in which a problem can be planted", cure="a repository with more tests")
    kept = ground.kept(places, spec.most, tell)
    written: list[Written] = []
    listed: list[tuple[str, str, bool]] = []
    for number, group in enumerate(_documents(kept, spec.per_document), start=1):
        tell(f"document {number}", len(kept), spec.most)
        made = _written(ground, f"repository-{number:02d}", group, None)
        written += [made] if made.problems else []
        listed += [(made.id, "document.md", True)] if made.problems else []
    tree = ground.found.tree
    control = as_document(spec.repo.name, tree, {site.path for site, _ in kept})
    write_unit(spec.out, UnitDraft(CONTROL, spec.repo.name, tree, tree, control))
    return _finished(spec, [ground], written, [*listed, (CONTROL, control[0], False)])


def plant_changes(spec: PlantSpec, tell: Tell) -> Planting:
    """Problems in lines that commits added; each document is the change of one commit."""
    refuse_other(spec.out)
    memory, states = Memory(spec.out), Counter[str]()
    candidates, _ = search(spec.repo, spec.ref, spec.limits, most=spec.depth)
    written: list[Written] = []
    grounds: list[_Ground] = []
    listed: list[tuple[str, str, bool]] = []
    for candidate in spread(candidates):
        count = sum(len(one.problems) for one in written)
        # Once there are enough problems, the next change is the control.
        control = count >= spec.most
        tell(candidate.commit.subject, count, spec.most)
        try:
            made = _change(spec, candidate, memory, tell, count, grounds, control)
        except SteelyardError as error:
            states[f"commit: {error}"] += 1
            continue
        if made is not None:
            written.append(made)
            listed.append((made.id, "change.diff", bool(made.problems)))
        if made is not None and control:
            break
    return _finished(spec, grounds, written, listed, states)


def _change(
    spec: PlantSpec, candidate: Candidate, memory: Memory, tell: Tell, before: int, grounds: list[_Ground], clean: bool
) -> Written | None:
    commit = candidate.commit
    old, name = files_at(spec.repo, commit.parent), f"change-{commit.short}"
    if clean:
        new = files_at(spec.repo, commit.sha)
        document = as_diff(old, new, candidate.source)
        write_unit(spec.out, UnitDraft(name, commit.subject, new, new, document))
        return Written(name, (), 0)
    ground = _ground(spec, commit.sha, memory, tell)
    changed = hunks(spec.repo, commit, candidate.source)
    places = [site for site in ground.places() if _shown(site, changed)]
    grounds.append(ground)
    if not places:
        raise InputError("tests run no line that it adds and in which a problem can be planted")
    kept = ground.kept(places, min(spec.per_document, spec.most - before), tell, before)
    groups = _documents(kept, spec.per_document)
    made = _written(ground, name, groups[0], old) if groups else None
    return made if made is not None and made.problems else None


def _shown(site: Site, changed: Sequence[Hunk]) -> bool:
    """Whether the diff shows the problem: all of it is in added lines, and it does not take all of them away."""
    size = site.last - site.line + 1
    return any(
        hunk.path == site.path
        and hunk.new <= site.line
        and site.last < hunk.new + hunk.new_count
        and (site.text or size < hunk.new_count)
        for hunk in changed
    )


def _ground(spec: PlantSpec, sha: str, memory: Memory, tell: Tell) -> _Ground:
    date = git(spec.repo, "show", "-s", "--format=%cI", sha).stdout.strip()

    def say(line: str) -> None:
        tell(line, 0, spec.most)

    found = revision(spec.repo, sha, date, say)
    base = baseline(found, timeout_s=spec.timeout_s, say=say)
    # The runs without any problem, and the one with coverage.
    spent = base.cpu_s * (RUNS + 1)
    return _Ground(spec, sha, date, found, base, memory, Counter(), spent, base.cpu_s * RUNS)


def _written(ground: _Ground, name: str, group: Sequence[_PlantedProblem], old: Tree | None) -> Written:
    """One document; problems whose proof does not hold beside the others are taken out of it."""
    while group:
        folder = write_unit(ground.spec.out, _draft(ground, name, group, old))
        faults = {one.problem for one in reprove(PlantedUnit(folder)) if one.fault}
        if not faults:
            break
        ground.states["not proved beside others"] += len(faults)
        group = [one for number, one in enumerate(group, start=1) if f"P{number:02d}" not in faults]
    return Written(name, tuple(one.site.kind for one in group), len({one.site.path for one in group}))


def _draft(ground: _Ground, name: str, group: Sequence[_PlantedProblem], old: Tree | None) -> UnitDraft:
    right = ground.found.tree
    wrong, lines = planted(right, [one.site for one in group])
    run = run_tests(wrong, ground.found.packages, timeout_s=ground.spec.timeout_s)
    steady = run.ended("passed") & frozenset(ground.base.steady)
    # Also tests that fail only because several problems are planted together.
    revealing = {name for one in group for name in one.tried.revealing} | (frozenset(ground.base.steady) - steady)
    seen = without_tests(wrong, revealing, ground.base.places)
    entries = [
        KeyEntry(one.site.kind, ((one.site.path, *lines[one.site.id]),), one.site.function, one.site.was, own)
        for one in group
        if (own := _own_tests(one, group))
    ]
    paths = {one.site.path for one in group}
    title = f"{ground.spec.repo.name} at {ground.commit[:10]}"
    document = as_document(title, seen, paths) if old is None else as_diff(old, seen, _source(old, right))
    problems = {
        f"P{number:02d}": Proved(kind=one.site.kind, tests=_own_tests(one, group), edit=_edit(one.site))
        for number, one in enumerate(group, start=1)
    }
    record = PlantRecord(commit=ground.commit, date=ground.date, problems=problems, steady=tuple(sorted(steady)))
    return UnitDraft(name, title, seen, right, document, tuple(entries), record)


def _source(old: Tree, new: Tree) -> list[str]:
    python = (path for path in {*old, *new} if path.endswith(".py") and not is_test(path))
    return [path for path in python if old.get(path) != new.get(path)]


def _edit(site: Site) -> Edit:
    return Edit(path=site.path, start=site.start, end=site.end, text=site.text)


def _finished(
    spec: PlantSpec,
    grounds: Iterable[_Ground],
    written: Sequence[Written],
    listed: Sequence[tuple[str, str, bool]],
    states: Counter[str] | None = None,
) -> Planting:
    total, used = states or Counter[str](), list(grounds)
    for ground in used:
        total.update(ground.states)
    if any(keyed for _, _, keyed in listed):
        write_suite(spec.out, f"{spec.repo.name}-planted", listed)
    aside = tuple(dict.fromkeys(line for ground in used for line in ground.set_aside))
    cpu, naive = (sum(getattr(ground, name) for ground in used) for name in ("cpu_s", "naive_cpu_s"))
    control = any(not keyed for _, _, keyed in listed)
    return Planting(tuple(written), dict(total.most_common()), aside, cpu, naive, control)


def _documents(kept: Sequence[tuple[Site, Tried]], size: int) -> list[list[_PlantedProblem]]:
    """Groups of at most `size`, as few as will do; every problem of a group has a failing test of its own."""
    wanted = -(-len(kept) // size)
    groups: list[list[_PlantedProblem]] = [[] for _ in range(wanted)]
    for site, tried in kept:
        one = _PlantedProblem(site, tried)
        fitting = [group for group in groups if len(group) < size and _fits([*group, one])]
        if not fitting:
            groups.append(group := [])
            fitting = [group]
        min(fitting, key=len).append(one)
    return [sorted(group, key=lambda one: (one.site.path, one.site.start)) for group in groups if group]


def _own_tests(problem: _PlantedProblem, others: Sequence[_PlantedProblem]) -> tuple[str, ...]:
    """The tests that fail because of this problem and of no other."""
    foreign = {name for other in others if other is not problem for name in other.tried.revealing}
    return tuple(name for name in problem.tried.proof if name not in foreign)[:_MOST_TESTS]


def _fits(group: Sequence[_PlantedProblem]) -> bool:
    functions = {(one.site.path, one.site.function) for one in group}
    spans = sorted((one.site.path, one.site.start, one.site.end) for one in group)
    apart = all(path != other or end <= start for (path, _, end), (other, start, _) in pairwise(spans))
    return apart and len(functions) == len(group) and all(_own_tests(one, group) for one in group)
