"""Answers that follow from a prompt, worked out a second time from its words alone."""

from __future__ import annotations

import calendar
import json
import re
from decimal import ROUND_HALF_UP, Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from steelyard.bench.hard_cdk.assertion.clause import KeptClause
from steelyard.bench.hard_cdk.assertion.migration import BESIDE_SCHEMAS, replacing
from steelyard.bench.hard_cdk.dataset import load, reference

PROMPTS = {item.id: item.input for item in load()}
MONTHS = list(calendar.month_name)[1:]
DAYS = [calendar.monthrange(2027, month)[1] for month in range(1, 13)]


def number(text: str) -> int:
    return int(text.replace(",", ""))


def servers(prompt: str) -> dict[str, list[int]]:
    """Team → its servers in each month."""
    row = prompt.split("Servers: ")[1].split(". `More`")[0]
    counts: dict[str, list[int]] = {}
    for part in row.split("; "):
        team, first = part.split()[:2]
        changes = re.findall(r"(\d+) (more|fewer) from (\w+) on", part)
        signed = [(MONTHS.index(month), int(size) * (1 if way == "more" else -1)) for size, way, month in changes]
        counts[team] = [int(first) + sum(size for start, size in signed if start <= month) for month in range(12)]
    return counts


def volumes(prompt: str, kind: str) -> dict[str, list[int]]:
    """Team → its gigabytes in each month."""
    row = prompt.split(f"{kind} in January, and what each later month adds: ")[1].split(".\n")[0]
    parts = re.findall(r"(\w+) ([\d,]+) GB, ([+-][\d,]+) GB", row)
    return {team: [number(first) + month * number(step) for month in range(12)] for team, first, step in parts}


def storage_price(first: int, last: int) -> Decimal:
    """What the gigabytes `first` to `last` of the row cost."""
    tiers = ((0, 40_000, "0.024"), (40_000, 70_000, "0.021"), (70_000, 10**9, "0.018"))
    return sum((max(0, min(last, high) - max(first, low)) * Decimal(price) for low, high, price in tiers), Decimal(0))


def month_costs(prompt: str, month: int) -> dict[str, Decimal]:
    machines, stored, moved = servers(prompt), volumes(prompt, "Storage"), volumes(prompt, "Transfer")
    teams = sorted(machines)
    costs = dict.fromkeys(teams, Decimal(0))
    ranked = sorted(teams, key=lambda team: (-machines[team][month], team))
    # Every machine has an owner; the first twenty are the reserved ones.
    owners = [team for team in ranked for _ in range(machines[team][month])]
    for place, team in enumerate(owners):
        costs[team] += DAYS[month] * 24 * Decimal("0.104" if place < 20 else "0.171")
    end = 0
    for team in teams if month % 2 == 0 else teams[::-1]:
        start, end = end, end + stored[team][month]
        costs[team] += storage_price(start, end)
    passed = 0
    for team in teams:
        left = 1000 + passed - moved[team][month]
        costs[team] += max(0, -left) * Decimal("0.09")
        passed = max(0, left)
    total = sum(costs.values())
    support = total * Decimal("0.05") + min(total, Decimal(6000)) * Decimal("0.02")
    return {team: cost + support / 4 for team, cost in costs.items()}


def test_the_budgets_are_what_the_price_list_makes() -> None:
    months = [month_costs(PROMPTS["hcdk-002"], month) for month in range(12)]
    source = reference("hcdk-002")
    for team in months[0]:
        written = re.findall(r'"Amount": "([\d.]+)"', source.split(f'budget_name="{team}"')[1])[:4]
        sums = [sum(costs[team] for costs in months[quarter : quarter + 3]) for quarter in (0, 3, 6, 9)]
        assert written == [str(Decimal(value).quantize(Decimal("0.01"), ROUND_HALF_UP)) for value in sums]


UNITS = 512
"""The network in pieces of 16 addresses."""


def lowest(taken: dict[str, range], units: int) -> int:
    """Where the smallest free block that is large enough begins, the lowest if there are several."""
    used = {unit for block in taken.values() for unit in block}

    def free(start: int, size: int) -> bool:
        return used.isdisjoint(range(start, start + size))

    size = units
    while size <= UNITS:
        for start in range(0, UNITS, size):
            merged = size < UNITS and free(start - start % (2 * size), 2 * size)
            if free(start, size) and not merged:
                return start
        size *= 2
    raise AssertionError("the network is full")


def test_the_subnets_are_those_at_the_end_of_the_log() -> None:
    taken: dict[str, range] = {}
    for entry in PROMPTS["hcdk-003"].split("from the first entry to the last: ")[1].split(".\n")[0].split("; "):
        [(name, what)] = re.findall(r"^`([\w-]+)` (.+)$", entry)
        taken.pop(name, None)
        if what != "released":
            machines = int(what.removeprefix("now "))
            units = next(2**power for power in range(10) if 16 * 2**power >= machines + 5)
            start = lowest(taken, units)
            taken[name] = range(start, start + units)
    blocks = {
        name: f"10.72.{block.start // 16}.{block.start % 16 * 16}/{28 - len(block).bit_length() + 1}"
        for name, block in taken.items()
    }
    pattern = r'cidr_block="([^"]+)", tags=\[cdk.CfnTag\(key="Name", value="([^"]+)"'
    assert blocks == {name: block for block, name in re.findall(pattern, reference("hcdk-003"))}


Job = tuple[str, int, list[str], str | None]


def read_jobs(prompt: str) -> list[Job]:
    """Name, minutes, what it comes after, and its lock, in the order of the list."""
    row = prompt.split("lengths in minutes: ")[1].split(".\n")[0]
    jobs: list[Job] = []
    for text in row.split("; "):
        [(name, minutes)] = re.findall(r"^`(\w+)` (\d+)", text)
        lock = re.findall(r"lock (\w+)", text)
        jobs.append((name, int(minutes), re.findall(r"`(\w+)`", text)[1:], lock[0] if lock else None))
    return jobs


def test_the_jobs_start_when_the_rules_say() -> None:
    jobs, begin, rest, awake = read_jobs(PROMPTS["hcdk-007"]), 22 * 60, 24 * 60 + 30, 25 * 60 + 15
    runs: dict[str, tuple[str, int, int, str | None]] = {}  # job → worker, start, end, lock

    def may(worker: str, minutes: int, now: int) -> bool:
        idle = all(end + 4 <= now for who, _, end, _ in runs.values() if who == worker)
        return idle and (worker != "b" or now >= awake or now + minutes <= rest)

    def choice(now: int) -> tuple[Job, str] | None:
        busy = {lock for _, _, end, lock in runs.values() if end > now and lock}
        for job in sorted(jobs, key=lambda job: -job[1]):
            name, minutes, after, lock = job
            if name in runs or lock in busy or any(one not in runs or runs[one][2] > now for one in after):
                continue
            load_of = {w: sum(end - start for who, start, end, _ in runs.values() if who == w) for w in "abc"}
            able = [worker for worker in "abc" if may(worker, minutes, now)]
            if able:
                return job, min(able, key=load_of.__getitem__)
        return None

    now = begin
    while len(runs) < len(jobs):
        while chosen := choice(now):
            (name, minutes, _, lock), worker = chosen
            runs[name] = (worker, now, now + minutes, lock)
        now += 1
    found = {name: f"{start % 60} {start // 60 % 24} {worker}" for name, (worker, start, _, _) in runs.items()}
    pattern = r'name="(\w+)", schedule_expression="cron\((\d+ \d+) .*target=to_(\w)\)'
    assert found == {name: f"{time} {worker}" for name, time, worker in re.findall(pattern, reference("hcdk-007"))}


def audited() -> list[str]:
    """The types of hcdk-022 whose properties the audit is about."""
    [item] = [item for item in load() if item.id == "hcdk-022"]
    kept = [clause for row in item.metadata.assertions if isinstance(clause := row.clause, KeptClause)]
    return [name for clause in kept for name in clause.kept if not name.startswith(("AWS::EC2", "AWS::KMS"))]


def schema(name: str) -> dict[str, Any]:
    """The schema of a resource type, as cfn-lint carries it; the package itself takes seconds to import."""
    found = find_spec("cfnlint")
    assert found is not None and found.origin is not None
    folder = Path(found.origin).parent / "data" / "schemas"
    index = json.loads((folder / "providers" / "eu-west-1.json").read_text())
    return json.loads((folder / "resources" / f"{index[name]}.json").read_text())


def create_only(name: str) -> set[str]:
    return {
        path.removeprefix("/properties/").replace("/", ".") for path in schema(name).get("createOnlyProperties", ())
    }


def test_what_replaces_a_resource_of_the_audit_is_in_its_schema() -> None:
    names = audited()
    assert len(names) > 20
    assert {name: {*replacing(name)} for name in names} == {name: create_only(name) for name in names}


def test_the_table_beside_the_schemas_names_only_what_they_lack() -> None:
    for name, paths in BESIDE_SCHEMAS.items():
        assert not {*paths} & create_only(name), name
        assert {*paths} < {*replacing(name)} or not create_only(name), name


def test_a_custom_resource_has_no_schema_and_may_change() -> None:
    assert replacing("AWS::Nobody::Knows") == ()
