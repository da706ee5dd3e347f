"""Versions, locks, replicas and caches over time."""

import random
from datetime import date, datetime, timedelta

from scenario import Claim, Scenario, scenario, truth


def _near(value: int, *slips: tuple[int, str]) -> list[tuple[str, str]]:
    return [(str(slip), why) for slip, why in slips if slip != value and slip >= 0]


@scenario((51, 12, 3, 40), (52, 17, 4, 33))
def lifecycle(setting: tuple[int, int, int, int]) -> Scenario:
    seed, days, newer, transition = setting
    rng = random.Random(seed)
    start = date(2028, 1, 20)  # 2028 is a leap year
    puts: dict[str, list[date]] = {}
    deletes: dict[str, date | None] = {}
    for name, gap, count in (("a.json", 3, 14), ("b.json", 5, 9), ("c.json", 2, 19), ("d.json", 8, 6)):
        day = start + timedelta(days=rng.randint(0, 4))
        puts[name] = []
        for _ in range(count):
            puts[name].append(day)
            day += timedelta(days=gap + rng.randint(0, 1))
        deletes[name] = day if name in ("b.json", "c.json") else None

    def state(name: str, on: date, keep: int = newer, wait: int = days) -> tuple[int, int, bool]:
        """Data versions, those of them in the cold class, and whether a delete marker is current."""
        written = [day for day in puts[name] if day <= on]
        gone = deletes[name]
        marked = gone is not None and gone <= on
        successors = [*written[1:], gone if marked else None]
        noncurrent = sorted((s for s in successors if s is not None and s <= on), reverse=True)
        kept = [s for place, s in enumerate(noncurrent) if place < keep or on < s + timedelta(days=wait)]
        current = 0 if marked or not written else 1
        cold = sum(on >= s + timedelta(days=transition) for s in kept)
        return len(kept) + current, cold, marked

    claims = []
    for name in puts:
        for on in rng.sample([start + timedelta(days=d) for d in range(30, 95)], 3):
            right, _, marked = state(name, on)
            slips = _near(
                right,
                (state(name, on, keep=newer - 1)[0], "counts the current version among the newer ones to keep"),
                (state(name, on, wait=days + 1)[0], "counts one day too many"),
                (state(name, on + timedelta(days=1))[0], "takes February to have 28 days"),
                (right + 1, "keeps one version too many"),
                (right - 1, "drops one version too many"),
            )
            why = f"{right} by simulation day by day" + ("; the object is deleted then." if marked else ".")
            claims.append(Claim(f"At noon on {on} {name} has {{}} data versions.", str(right), slips, why))
    for name in ("a.json", "c.json"):
        on = start + timedelta(days=rng.randint(75, 95))
        cold = state(name, on)[1]
        claims.append(
            Claim(
                f"At noon on {on} {{}} versions of {name} are in Standard-IA.",
                str(cold),
                _near(cold, (cold + 1, "counts from creation"), (cold - 1, "counts one day too many")),
                "Counted from the day on which each became noncurrent.",
            )
        )
    rng.shuffle(claims)
    shown = "\n".join(
        f"{name}: put on {', '.join(day.strftime('%m-%d') for day in days_)}"
        + (f"; deleted without a version ID on {deletes[name]:%m-%d}" if deletes[name] else "")
        for name, days_ in puts.items()
    )
    text = f"""A versioned bucket has one lifecycle rule for all objects: NoncurrentVersionExpiration with NoncurrentDays {days} and NewerNoncurrentVersions {newer}, and NoncurrentVersionTransition to Standard-IA with NoncurrentDays {transition}. The year is 2028. All puts and deletes are at 06:00 UTC:

{shown}

For this question: a version becomes noncurrent on the day its successor (or the delete marker) is written; an action on it is due at 00:00 UTC on the day that many days later and happens then, also for versions that come to have enough newer noncurrent ones only afterwards. A version with fewer than {newer} newer noncurrent versions is never expired. Delete markers are not data versions."""
    return Scenario(
        "cost",
        ["Amazon S3"],
        "Amazon S3 User Guide: Lifecycle configuration elements",
        text,
        claims[:10],
        "Age counts from the day on which the successor was written, and the newest noncurrent versions stay.",
    )


@scenario((61, 23), (62, 45))
def locks(setting: tuple[int, int]) -> Scenario:
    seed, retention = setting
    rng = random.Random(seed)
    start = date(2028, 1, 9)
    changes = [
        (start, "governance", retention),
        (start + timedelta(days=21), "compliance", retention + 17),
        (start + timedelta(days=48), "governance", 9),
    ]
    objects: dict[str, tuple[date, str, date]] = {}
    lines = [f"{day}: the default retention becomes {length} days in {mode} mode" for day, mode, length in changes]
    for number in range(1, 13):
        day = start + timedelta(days=rng.choice([d for d in range(1, 61) if d not in (21, 48)]))
        mode, length = next((m, n) for d, m, n in reversed(changes) if d <= day)
        if number % 4 == 0:
            mode, until = "compliance" if number % 8 == 0 else "governance", day + timedelta(days=rng.randint(12, 70))
            lines.append(f"{day}: r{number} is put with {mode} mode until {until}")
        else:
            until = day + timedelta(days=length)
            lines.append(f"{day}: r{number} is put")
        objects[f"r{number}"] = (day, mode, until)
    held = {name: start + timedelta(days=rng.randint(62, 66)) for name in ("r2", "r7")}
    lines += [f"{day}: a legal hold is placed on {name}" for name, day in held.items()]
    extended = "r5"
    day = objects[extended][0] + timedelta(days=2)
    objects[extended] = (*objects[extended][:2], objects[extended][2] + timedelta(days=19))
    lines.append(f"{day}: the retention of {extended} is extended to {objects[extended][2]}")
    lines.sort()
    claims = []

    def delete(name: str, on: date, bypass: bool) -> tuple[bool, str]:
        _, mode, until = objects[name]
        if name in held and on >= held[name]:
            return False, "A legal hold is in place."
        if on >= until:
            return True, f"Its retention ended on {until}."
        return (mode == "governance" and bypass), f"It is in {mode} mode until {until}."

    words = ("succeeds", "fails")
    for name in rng.sample(sorted(objects), 9):
        until = objects[name][2]
        on = (
            max(until + timedelta(days=rng.choice((-2, -1, 0, 1))), start + timedelta(days=70))
            if rng.random() < 0.6
            else start + timedelta(days=70 + rng.randint(0, 9))
        )
        bypass = rng.random() < 0.6
        holds, why = delete(name, on, bypass)
        how = "with" if bypass else "without"
        claims.append(
            truth(
                f"DELETE of {name} by version ID on {on} {how} bypass {{}}.",
                holds,
                words,
                "miscounts the days or the mode",
                why,
            )
        )
    for name in rng.sample(sorted(objects), 4):
        _, mode, until = objects[name]
        on, new = start + timedelta(days=71), until + timedelta(days=rng.choice((-3, 4)))
        if on >= until:
            continue
        holds = new >= until or mode == "governance"
        claims.append(
            truth(
                f"Setting the retention of {name} to {new} on {on} with bypass {{}}.",
                holds,
                words,
                "miscounts the days or the mode",
                f"It is in {mode} mode until {until}.",
            )
        )
    rng.shuffle(claims)
    text = f"""A bucket has S3 Object Lock. Everything happens at 12:00 UTC in 2028; a retention of n days ends at 12:00 on the n-th day after the put, and a request at that very time finds it ended. Default retention applies to objects put without one, at the time of the put. Events:

{chr(10).join(lines)}

Requests come from an administrator with all S3 permissions; "with bypass" means that the header for bypassing governance retention is sent. In compliance mode a retention can only be extended; in governance mode the bypass lets it be shortened and objects be deleted; a legal hold stops any deletion of its object, but no change of retention. Each request is tried alone, as if the others were not made."""
    return Scenario(
        "security",
        ["Amazon S3"],
        "Amazon S3 User Guide: How S3 Object Lock works",
        text,
        claims[:10],
        "The mode and the date of each object follow from the default at its put.",
    )


@scenario((71, 60, 480, 1500), (72, 45, 300, 900))
def cache(setting: tuple[int, int, int, int]) -> Scenario:
    seed, low, default, high = setting
    rng = random.Random(seed)
    ages = {
        "/a": ("max-age=20", 20),
        "/b": ("none", None),
        "/c": ("max-age=7200, s-maxage=130", 130),
        "/d": ("no-store", 0),
        "/e": ("max-age=86400", 86400),
    }
    queries = ("lang=de", "lang=de&utm=x", "lang=fr", "lang=DE")
    requests = []
    second = 0
    for _ in range(26):
        second += rng.choice((7, 19, 41, 64, 88, 133))
        requests.append(
            (second, rng.choice(tuple(ages)), rng.choice(queries), rng.choice(("gzip, br", "br", "gzip", "deflate")))
        )

    def simulate(minimum: int = low, case: bool = True, encoding: bool = True, first: str = "s-maxage") -> list[bool]:
        fresh: dict[tuple[str, ...], int] = {}
        hits = []
        for at, path, query, accept in requests:
            lang = query.split("&")[0] if case else query.split("&")[0].lower()
            kinds = ",".join(sorted({"gzip", "br"} & set(accept.split(", ")))) if encoding else ""
            key = (path, lang, kinds)
            hits.append(fresh.get(key, -1) > at)
            if not hits[-1]:
                own = 7200 if path == "/c" and first == "max-age" else ages[path][1]
                fresh[key] = at + min(max(default if own is None else own, minimum), high)
        return hits

    right = simulate()
    others = [
        (simulate(minimum=0), "forgets the minimum TTL"),
        (simulate(case=False), "ignores the case of a value"),
        (simulate(encoding=False), "forgets the encodings in the cache key"),
        (simulate(first="max-age"), "takes max-age before s-maxage"),
    ]
    claims = []
    for number in rng.sample(range(4, 26), 7):
        slip = next((why for hits, why in others if hits[number] != right[number]), "overlooks an earlier request")
        claims.append(
            truth(
                f"Request {number + 1} is {{}}.",
                right[number],
                ("served from the cache", "fetched from the origin"),
                slip,
                "By simulation of the cache.",
            )
        )
    misses = right.count(False)
    slips = [(str(hits.count(False)), why) for hits, why in others] + [
        (str(misses + 1), "miscounts by one"),
        (str(misses - 1), "miscounts by one"),
    ]
    claims.append(
        Claim("{} of the 26 requests are fetched from the origin.", str(misses), slips, "By simulation of the cache.")
    )
    half = right[:13].count(False)
    claims.append(
        Claim(
            "{} of the first 13 requests are fetched from the origin.",
            str(half),
            [(str(half + 1), "miscounts by one"), (str(half - 1), "miscounts by one")],
            "By simulation of the cache.",
        )
    )
    of_d = sum(not hit for hit, request in zip(right, requests, strict=True) if request[1] == "/d")
    all_d = sum(request[1] == "/d" for request in requests)
    claims.append(
        Claim(
            "{} requests for /d are fetched from the origin.",
            str(of_d),
            [
                (str(all_d), "believes that no-store beats the minimum TTL"),
                (str(of_d + 1), "miscounts by one"),
                (str(max(0, of_d - 1)), "miscounts by one"),
            ],
            "The minimum TTL holds for no-store too.",
        )
    )
    shown = "\n".join(
        f"{number}. {at} s: {path}?{query}; {accept}"
        for number, (at, path, query, accept) in enumerate(requests, start=1)
    )
    headers = "; ".join(f"{path} {header}" for path, (header, _) in ages.items())
    text = f"""A CloudFront cache policy has a minimum TTL of {low}, a default TTL of {default} and a maximum TTL of {high} seconds. The cache key holds the path, the query string lang and the normalized Accept-Encoding (the supported formats gzip and br that the viewer sends, in any order); other query strings are left out, values are case-sensitive. One cache serves all; it starts empty, and nothing is evicted. An object is fresh for less than its TTL after the fetch: at exactly the TTL it is fetched again. s-maxage comes before max-age, and the result is held between minimum and maximum, no-store included. Cache-Control of the origin: {headers}.

Requests (number, time, path and query; Accept-Encoding):

{shown}"""
    return Scenario(
        "performance",
        ["Amazon CloudFront"],
        "Amazon CloudFront Developer Guide: Manage how long content stays in the cache; Cache key",
        text,
        claims,
        "Each request is a hit only if its own key was fetched less than the TTL ago.",
    )


@scenario(81, 82)
def replicas(setting: int) -> Scenario:
    rng = random.Random(setting)
    regions = ("eu-west-1", "us-east-1", "ap-northeast-1")
    lag = {("eu-west-1", "us-east-1"): 3, ("eu-west-1", "ap-northeast-1"): 7, ("us-east-1", "ap-northeast-1"): 5}

    def delay(one: str, two: str) -> int:
        return 0 if one == two else lag.get((one, two)) or lag[(two, one)]

    items = ("p", "q", "r")
    writes = []
    moment = datetime(2028, 2, 29, 23, 59, 30)
    for number in range(1, 25):
        moment += timedelta(seconds=rng.choice((1, 1, 2, 2, 3)))
        writes.append((number, moment, rng.choice(regions), rng.choice(items)))

    def read(item: str, region: str, at: datetime, ignore_lag: bool = False, by_arrival: bool = False) -> str:
        seen = []
        for number, when, origin, written in writes:
            arrives = when if ignore_lag else when + timedelta(seconds=delay(origin, region))
            if written == item and arrives <= at:
                seen.append((arrives if by_arrival else when, when, number))
        return f"v{max(seen)[2]}" if seen else "nothing"

    claims = []
    while len(claims) < 10:
        item, region = rng.choice(items), rng.choice(regions)
        at = moment + timedelta(seconds=rng.randint(-24, 6))
        right = read(item, region, at)
        slips = [
            (read(item, region, at, ignore_lag=True), "forgets the lag"),
            (read(item, region, at, by_arrival=True), "lets the last arrival win instead of the last write"),
            (read(item, region, at - timedelta(seconds=2)), "looks two seconds too early"),
            (read(item, rng.choice(regions), at), "looks in another Region"),
        ]
        slips = [slip for slip in slips if slip[0] != right]
        sentence = f"A read of {item} in {region} at {at:%m-%d %H:%M:%S} returns {{}}."
        if slips and all(claim.sentence != sentence for claim in claims):
            claims.append(Claim(sentence, right, slips, "By simulation of all writes and their arrival."))
    shown = "\n".join(f"v{number}: {when:%m-%d %H:%M:%S}, {item} in {origin}" for number, when, origin, item in writes)
    text = f"""A DynamoDB global table has replicas in three Regions and resolves conflicts by the last writer: of two versions the one written later wins everywhere, whenever it arrives. Replication takes 3 seconds between eu-west-1 and us-east-1, 7 seconds between eu-west-1 and ap-northeast-1 and 5 seconds between us-east-1 and ap-northeast-1, in both directions, and goes directly from the Region of the write to each of the others. A read sees what has arrived in its Region by then, its own second included; before the first arrival it returns nothing. No two writes have the same time. Writes in 2028, named by the version that they write:

{shown}"""
    return Scenario(
        "resilience",
        ["Amazon DynamoDB"],
        "Amazon DynamoDB Developer Guide: Global tables, conflict resolution",
        text,
        claims,
        "Of the versions that have arrived in the Region of the read the one that was written last is returned.",
    )
