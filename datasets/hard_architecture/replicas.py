"""Writes that travel in batches over a chain of replicas, caches in front, and a failover that forgets some of them."""

import random
from typing import Any

from task import Ask, Diagram, Study, asks, first_that_bites

REGIONS = ("east", "west", "north")
KEYS = ("k1", "k2", "k3", "k4", "k5", "k6")
WRITES = tuple(f"W{number}" for number in range(1, 111))
READS = tuple(f"R{number}" for number in range(1, 181))
NOTHING = "none"
END = 900


class Fleet:
    """A primary in east, replicas in west and north, and one cache per region."""

    def __init__(self, world: dict[str, Any], slip: str):
        self.world, self.slip = world, slip
        self.log: dict[str, list[str]] = {region: [] for region in REGIONS}
        """The writes that each database has, in the order in which it got them."""
        self.feeds = dict(world["feeds"])
        self.flying: list[tuple[int, str, list[str]]] = []
        self.primary: str | None = "east"
        self.cache: dict[tuple[str, str], tuple[str, int]] = {}
        self.rejected: list[str] = []
        self.lost: list[str] = []
        self.hits = 0

    def ship(self, second: int) -> None:
        """Batches arrive, then new ones leave."""
        for due, region, batch in self.flying:
            if due == second:
                self.log[region] += [write for write in batch if write not in self.log[region]]
        for target, source in self.feeds.items():
            period, delay = self.world["link"][source, target]
            delay = 1 if self.slip == "instant" else delay
            if second % period == 0:
                direct = "east" if self.slip == "star" and self.primary == "east" else source
                self.flying.append((second + delay, target, list(self.log[direct])))

    def fail(self) -> None:
        self.primary = None
        self.feeds = {target: source for target, source in self.feeds.items() if source != "east"}

    def promote(self) -> None:
        self.primary = max(("west", "north"), key=lambda region: (len(self.log[region]), region == "west"))
        other = "north" if self.primary == "west" else "west"
        self.lost = [write for write in self.log["east"] if write not in self.log[self.primary]]
        self.feeds = {other: self.primary}
        self.flying = []
        self.log[other] = [write for write in self.log[other] if write in self.log[self.primary]]

    def write(self, name: str, key: str, region: str) -> None:
        if self.primary is None:
            self.rejected.append(name)
            return
        self.log[self.primary].append(name)
        self.cache.pop((region, key), None)
        if self.slip == "everywhere":
            self.cache = {place: entry for place, entry in self.cache.items() if place[1] != key}

    def value(self, region: str, key: str) -> str:
        mine = [write for write in self.log[region] if self.world["key"][write] == key]
        return mine[-1] if mine else NOTHING

    def read(self, second: int, region: str, key: str) -> str:
        found = self.cache.get((region, key))
        if found is not None and second < found[1]:
            self.hits += 1
            return found[0]
        source = region if region != "east" or self.primary == "east" else self.primary or self.world["standby"]
        got = self.value(source, key)
        self.cache[region, key] = (got, second + self.world["ttl"][region])
        return got


def _outcome(world: dict[str, Any], slip: str = "") -> dict[str, Any]:
    fleet = Fleet(world, slip)
    returned: dict[str, str] = {}
    stale, newest = [], {}
    for second in range(END + 1):
        if second == world["fails"]:
            fleet.fail()
        fleet.ship(second)
        if second == world["promotes"]:
            fleet.promote()
            newest = {key: fleet.value(fleet.primary or "", key) for key in KEYS}
        for kind, name, key, region in world["events"].get(second, ()):
            if kind == "write":
                fleet.write(name, key, region)
                newest[key] = newest.get(key, NOTHING) if name in fleet.rejected else name
            else:
                returned[name] = fleet.read(second, region, key)
                stale += [name] if returned[name] != newest.get(key, NOTHING) else []
    ghosts = [read for read, write in returned.items() if write in fleet.lost]
    return {
        **{f"read_{read.lower()}": returned[read] for read in world["probes"]},
        "lost": sorted(fleet.lost, key=WRITES.index),
        "rejected": sorted(fleet.rejected, key=WRITES.index),
        "ghosts": sorted(ghosts, key=READS.index),
        "promoted": fleet.primary or "",
        "hits": fleet.hits,
        "lost_count": len(fleet.lost),
        "rejected_count": len(fleet.rejected),
        "ghost_count": len(ghosts),
        "kept": len(fleet.log[fleet.primary or "west"]),
        "behind": len(fleet.log[fleet.primary or "west"])
        - len(fleet.log["north" if fleet.primary == "west" else "west"]),
        "empty": sum(write == NOTHING for write in returned.values()),
        **{f"{region}_stale": sum(world["where"][read] == region for read in stale) for region in REGIONS},
        "distinct": len(set(returned.values()) - {NOTHING}),
    }


def build(number: int, seed: int, domain: str, name: str) -> tuple[dict[str, Any], Diagram]:
    return first_that_bites(number, seed, lambda rng: _study(rng, domain, name))


def _study(rng: random.Random, domain: str, name: str) -> Study | None:
    moments = sorted(rng.sample(range(4, END - 10), len(WRITES) + len(READS)))
    writes = set(rng.sample(moments, len(WRITES)))
    events: dict[int, list[tuple[str, str, str, str]]] = {}
    key_of, where = {}, {}
    names = {"write": iter(WRITES), "read": iter(READS)}
    for second in moments:
        kind = "write" if second in writes else "read"
        entry = (kind, next(names[kind]), rng.choice(KEYS), rng.choice(REGIONS))
        events[second] = [entry]
        (key_of if kind == "write" else where)[entry[1]] = entry[2] if kind == "write" else entry[3]
    fails = rng.randint(430, 490)
    world: dict[str, Any] = {
        "events": events,
        "key": key_of,
        "where": where,
        "feeds": {"west": "east", "north": "west"},
        "link": {
            ("east", "west"): (rng.choice((18, 20, 25)), rng.randint(7, 16)),
            ("west", "north"): (rng.choice((12, 15, 16)), rng.randint(3, 9)),
            ("north", "west"): (rng.choice((20, 22)), rng.randint(6, 14)),
        },
        "ttl": {"east": rng.choice((15, 20)), "west": rng.choice((25, 35)), "north": rng.choice((30, 45))},
        "fails": fails,
        "promotes": fails + rng.randint(18, 26),
        "standby": "west",
        "probes": (),
    }
    late = [read for read in READS if any(entry[1] == read for s, es in events.items() if s > 300 for entry in es)]
    world["probes"] = tuple(sorted(rng.sample(late, 4), key=READS.index))
    right = _outcome(world)
    if (
        right["lost_count"] < 2
        or right["rejected_count"] < 1
        or right["ghost_count"] < 2
        or right["promoted"] != "west"
    ):
        return None
    if any(right[f"read_{read.lower()}"] == NOTHING for read in world["probes"]):
        return None
    link = world["link"]
    diagram = Diagram(name, f"{domain.capitalize()} databases")
    for region in REGIONS:
        diagram.cluster(region, region.capitalize())
        diagram.node(
            f"cache-{region}", f"Cache {region}", "database.ElastiCache", region, f"keeps {world['ttl'][region]} s"
        )
        role = {"east": "primary", "west": "replica", "north": "replica"}[region]
        diagram.node(f"db-{region}", f"Database {region}", "database.Aurora", region, role)
        diagram.edge(f"cache-{region}", f"db-{region}", "on a miss")
    diagram.edge("db-east", "db-west", "every {} s, {} s on the way".format(*link["east", "west"]))
    diagram.edge("db-west", "db-north", "every {} s, {} s on the way".format(*link["west", "north"]))
    rows = "\n".join(
        f"| {second} | {name} | {key} | {region} |"
        for second, entries in events.items()
        for _, name, key, region in entries
    )
    text = f"""The architecture below shows the databases of a {domain} company in three regions. A wiki page says that both replicas follow the primary directly; what is drawn is what runs. Follow it from second 0, with empty databases and caches. Names beginning with W are writes of a key from a region, those beginning with R are reads of a key in a region:

| second | what | key | region |
|---|---|---|---|
{rows}

The database east fails in second {fails} and does not come back. A new primary is promoted in second {world["promotes"]}. These rules are exact. Within a second the order is: the failure, batches that arrive, batches that leave, the promotion, then the write or read.

1. A write goes to the primary, from wherever it comes, and takes effect there at once. From second {fails} until the promotion there is no primary, and writes are rejected: they have no effect at all.
2. A write that is not rejected also removes the key from the cache of the region from which it comes, and from no other cache.
3. "Every 20 s, 5 s on the way" on an arrow from a database to another: in every second that is a multiple of 20 (second 0 included) a batch leaves with everything that the first database has in this moment, and arrives 5 seconds later. A batch adds to the second database the writes that it does not have yet, in the order of the first. What leaves a replica is what has arrived there by then.
4. When east fails, no more batches leave it. Batches that are on the way still arrive until the promotion. West goes on sending to north until the promotion.
5. In the promotion, the replica with more writes becomes the primary (west if both have as many). Writes that east had and the new primary does not have are lost; if the other replica has some of them, it drops them. Batches on the way are dropped. From then on the new primary sends batches to the other replica, from the next second on: from west to north as drawn; from north to west it would be every {link["north", "west"][0]} s, {link["north", "west"][1]} s on the way. Caches are not changed by failure or promotion.
6. The value of a key in a database is the latest of its writes that this database has, or none.
7. A read is answered from the cache of its region if the key was put there less than the noted seconds ago: "keeps 30 s" means that what was put there in second 10 answers reads until second 39. Otherwise the database of the region answers (in east, after the failure: the database west until the promotion, then the new primary), and the answer, also "none", is put into the cache of the region, for the noted seconds from then on. A read answered from the cache does not prolong this time.
8. A read is stale if it returns something else than the latest write of the key that was neither rejected nor, if the promotion has taken place by then, lost (or none if there is no such write). It is a ghost if it returns a write that is lost, be it lost before or after the read.

The data team has written down:

{{lines}}"""
    followed = "Followed second by second."
    values = [*WRITES, NOTHING]
    return Study(
        "resilience",
        domain,
        ["Amazon Aurora", "Amazon ElastiCache"],
        diagram,
        text,
        [
            *[
                Ask(f"read_{r.lower()}", f"the write that {r} returns, or {NOTHING}", followed, values)
                for r in world["probes"]
            ],
            Ask("lost", "the writes that are lost", followed, WRITES),
            Ask("ghosts", "the reads that are ghosts", followed, READS),
            *asks(
                followed,
                {
                    "west_stale": "the number of reads in west that are stale",
                    "north_stale": "the number of reads in north that are stale",
                    "hits": "the number of reads that are answered from a cache",
                },
            ),
        ],
        [
            ("{} writes are lost.", "lost_count"),
            ("{} writes are rejected.", "rejected_count"),
            ("{} reads return none.", "empty"),
            ("{} reads in east are stale.", "east_stale"),
            ("The new primary has {} writes at the end.", "kept"),
            ("The reads return {} different writes.", "distinct"),
            (f"At the end of second {END} the replica lacks {{}} of the writes that the new primary has.", "behind"),
        ],
        right,
        {
            "lets a write remove the key from all caches": _outcome(world, "everywhere"),
            "lets both replicas follow the primary directly": _outcome(world, "star"),
            "takes a batch to arrive in the next second": _outcome(world, "instant"),
        },
    )
