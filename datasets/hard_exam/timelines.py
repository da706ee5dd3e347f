"""Failovers, recovery points, retries and migrations over time."""

import itertools
import random
from datetime import date, datetime, timedelta

from scenario import Claim, Scenario, scenario, truth

SIZES = ("large", "xlarge", "2xlarge", "4xlarge", "8xlarge")


@scenario((191, 9), (192, 13))
def failovers(setting: tuple[int, int]) -> Scenario:
    seed, back = setting
    rng = random.Random(seed)
    names = ["W", "R1", "R2", "R3", "R4", "R5", "R6"]
    zones = dict(zip(names, rng.sample("aabbccc", 7), strict=True))
    kinds = {}
    sizes = [*SIZES, "16xlarge", "12xlarge"]
    rng.shuffle(sizes)
    for name, size in zip(names, sizes, strict=True):
        kinds[name] = (rng.choice((0, 1, 1, 2)), size)
    ranking = (*SIZES, "12xlarge", "16xlarge")
    clock = datetime(2028, 3, 1, 8, 0)
    writer = "W"
    away: dict[str, datetime] = {}
    lines, history = [], [(clock, writer)]

    def choose(at: datetime, skip: set[str], rank: bool = True) -> str:
        readers = [n for n in names if n not in skip and away.get(n, at) <= at]
        return min(readers, key=lambda n: (kinds[n][0], -ranking.index(kinds[n][1]) if rank else names.index(n)))

    naive: dict[datetime, str] = {}
    for step in range(12):
        clock += timedelta(minutes=rng.choice((4, 6, 7, 11, 17)))
        if step in (3, 8):
            zone = rng.choice(sorted({zones[n] for n in names if zones[n] != zones[writer]} | {zones[writer]}))
            until = clock + timedelta(minutes=rng.choice((19, 26)))
            lines.append(f"{clock:%H:%M}: zone {zone} is lost until {until:%H:%M}")
            for name in names:
                if zones[name] == zone:
                    away[name] = max(away.get(name, until), until)
            if zones[writer] == zone:
                naive[clock] = choose(clock, {writer}, rank=False)
                writer = choose(clock, {writer})
        elif step in (5, 10):
            lines.append(f"{clock:%H:%M}: a manual failover without a target")
            naive[clock] = choose(clock, {writer}, rank=False)
            writer = choose(clock, {writer})
        else:
            lines.append(f"{clock:%H:%M}: the writer fails")
            away[writer] = clock + timedelta(minutes=back)
            naive[clock] = choose(clock, {writer}, rank=False)
            writer = choose(clock, {writer})
        history.append((clock, writer))
    claims = []
    for place in rng.sample(range(1, 13), 9):
        at, right = history[place]
        slips = [
            (naive.get(at, right), "ignores the sizes"),
            (history[place - 1][1], "overlooks the last event"),
            (rng.choice([n for n in names if n != right]), "forgets who is back by then"),
            ("W", "believes that the first writer takes over again"),
        ]
        claims.append(
            Claim(
                f"At {at + timedelta(minutes=1):%H:%M} the writer is {{}}.",
                right,
                [slip for slip in slips if slip[0] != right],
                "By simulation of all events.",
            )
        )
    count = sum(a[1] != b[1] for a, b in itertools.pairwise(history))
    claims.append(
        Claim(
            "The writer changes {} times in all.",
            str(count),
            [(str(count + 1), "counts a lost zone without the writer"), (str(count - 1), "misses one change")],
            "Counted over all events.",
        )
    )
    shown = "; ".join(f"{n} tier {kinds[n][0]}, {kinds[n][1]}, zone {zones[n]}" for n in names)
    text = f"""An Aurora cluster has seven instances: {shown}. W is the writer at 08:00, all others are readers. On a failover the available reader with the lowest tier number is promoted, among equal tiers the largest instance (sizes in ascending order: {", ".join(ranking)}). An instance that fails as the writer is available again as a reader {back} minutes later, to the minute; in a lost zone nothing is available, and everything in it is when the zone is back, unless it failed later or comes back later by the first rule. A manual failover leaves the old writer available as a reader at once. A failover takes seconds. If the zone of the writer is lost, that is a failover too; if it is not, the writer stays. Events:

{chr(10).join(lines)}"""
    return Scenario(
        "resilience",
        ["Amazon Aurora"],
        "Amazon Aurora User Guide: Fault tolerance for an Aurora DB cluster",
        text,
        claims,
        "Tier first, then size, among the readers that are available at that minute.",
    )


@scenario((201, 13, 6, 5), (202, 9, 7, 4))
def recovery_points(setting: tuple[int, int, int, int]) -> Scenario:
    seed, daily, weekly, monthly = setting
    rng = random.Random(seed)
    first = date(2027, 11, 3)
    days = [first + timedelta(days=d) for d in range(190)]
    missing = set(rng.sample(days, 11))

    def kind(day: date) -> str:
        return "monthly" if day.day == 1 else "weekly" if day.weekday() == 6 else "daily"

    length = {"daily": daily, "weekly": weekly * 7, "monthly": monthly * 30}

    def kept(on: date, which: str | None = None, plus: int = 0, gaps: bool = True) -> list[date]:
        made = [day for day in days if day <= on and (day not in missing or not gaps)]
        return [
            day
            for day in made
            if (which is None or kind(day) == which) and day + timedelta(days=length[kind(day)] + plus) > on
        ]

    claims = []
    for on in rng.sample(days[100:185], 5):
        right = len(kept(on))
        slips = [
            (str(len(kept(on, gaps=False))), "forgets the failed backups"),
            (str(len(kept(on, plus=1))), "counts the last day"),
            (str(len(kept(on + timedelta(days=1)))), "takes February to have 28 days"),
            (str(right + 1), "miscounts by one"),
            (str(right - 1), "miscounts by one"),
        ]
        claims.append(
            Claim(f"At noon on {on} the vault holds {{}} recovery points.", str(right), slips, "Counted day by day.")
        )
    for on, which in zip(rng.sample(days[100:185], 3), ("weekly", "monthly", "daily"), strict=True):
        right = len(kept(on, which))
        claims.append(
            Claim(
                f"At noon on {on} it holds {{}} {which} ones.",
                str(right),
                [
                    (str(len(kept(on, which, gaps=False))), "forgets the failed backups"),
                    (str(right + 1), "counts the last day"),
                    (str(right - 1), "miscounts by one"),
                ],
                "Counted day by day.",
            )
        )
    for on in rng.sample(days[110:185], 3):
        oldest = min(kept(on))
        later = sorted(kept(on))[1]
        claims.append(
            Claim(
                f"At noon on {on} the oldest one was made on {{}}.",
                str(oldest),
                [
                    (str(later), "misses the oldest one"),
                    (str(oldest - timedelta(days=30)), "keeps a monthly one too long"),
                    (str(oldest + timedelta(days=1)), "is a day off"),
                ],
                "The oldest one whose retention has not ended.",
            )
        )
    failed = ", ".join(str(day) for day in sorted(missing))
    text = f"""AWS Backup makes one recovery point a day at 03:00 UTC from {first} on. On the first day of a month it is a monthly one and kept for {monthly * 30} days, on other Sundays a weekly one and kept for {weekly * 7} days, on all other days a daily one and kept for {daily} days. A point made on a day with a retention of n days is deleted at 03:00 UTC on the n-th day after it, before that day's backup. The backups of these days failed, were not repeated, and left nothing: {failed}. ({first} is a Wednesday; 2028 is a leap year.)"""
    return Scenario(
        "resilience",
        ["AWS Backup"],
        "AWS Backup Developer Guide: Backup plan options, lifecycle",
        text,
        claims[:10],
        "Each point is kept by the kind of its day, and failed days leave gaps.",
    )


@scenario((211, 2, 2.0, 45), (212, 3, 1.5, 20))
def retries(setting: tuple[int, int, float, int]) -> Scenario:
    seed, interval, rate, cap = setting
    rng = random.Random(seed)
    tasks = {}
    for name, attempts in (("Reserve", 4), ("Charge", 6), ("Label", 3), ("Notify", 5)):
        tasks[name] = (attempts, rng.choice((3, 4, 7, 9)), rng.randint(0, attempts + 1))
    over, workers, items = rng.choice((7, 11)), rng.choice((6, 8)), rng.randint(83, 139)

    def waits(failures: int, attempts: int, limit: float = cap) -> list[float]:
        return [min(limit, interval * rate**number) for number in range(min(failures, attempts))]

    def spent(name: str, limit: float = cap, first: bool = False) -> tuple[float, bool, int]:
        """Seconds in the state, whether it succeeds, and calls."""
        attempts, seconds, failures = tasks[name]
        allowed = attempts - 1 if first else attempts
        calls = min(failures, allowed) + 1
        return calls * seconds + sum(waits(failures, allowed, limit)), failures <= allowed, calls

    def run(limit: float = cap, first: bool = False) -> tuple[float, str]:
        total = 0.0
        for name in tasks:
            seconds, fine, _ = spent(name, limit, first)
            total += seconds
            if not fine:
                return total + over, name
        return total, "none"

    def shown(value: float) -> str:
        return f"{value:,.2f}".rstrip("0").rstrip(".")

    claims = []
    for name, (attempts, seconds, failures) in tasks.items():
        right = spent(name)[0]
        slips = [
            (shown(spent(name, limit=1e9)[0]), "forgets the maximum delay"),
            (shown(spent(name, first=True)[0]), "counts the first call among the retries"),
            (shown(right - seconds), "counts one call too few"),
            (shown(right + interval), "adds a wait"),
        ]
        claims.append(
            Claim(
                f"{name} alone takes {{}} seconds.",
                shown(right),
                slips,
                f"{spent(name)[2]} calls of {seconds} s and the waits {[round(w, 2) for w in waits(failures, attempts)]}.",
            )
        )
        calls = spent(name)[2]
        claims.append(
            Claim(
                f"{name} makes {{}} calls if it is reached.",
                str(calls),
                [
                    (str(calls + 1), "counts one retry too many"),
                    (str(max(1, calls - 1)), "counts the first call among the retries"),
                ],
                f"It fails {failures} times, and {attempts} retries are allowed.",
            )
        )
    total, broken = run()
    claims.append(
        Claim(
            "The execution takes {} seconds in all.",
            shown(total),
            [
                (shown(run(limit=1e9)[0]), "forgets the maximum delay"),
                (shown(run(first=True)[0]), "counts the first call among the retries"),
                (shown(total + over), "enters the handler once too often"),
                (shown(sum(spent(n)[0] for n in tasks) + 1), "goes on after a failure"),
            ],
            "State by state up to the end.",
        )
    )
    claims.append(
        Claim(
            "The state that sends the execution to its handler is {}.",
            broken,
            [(name, "miscounts the retries") for name in (*tasks, "none")],
            "The first state whose failures exceed its retries.",
        )
    )
    rounds = -(-items // workers)
    each = round(spent("Label")[0] + 2.5, 2)
    claims.append(
        Claim(
            f"A Map over {items} items takes {{}} seconds.",
            shown(rounds * each),
            [
                (shown(items * each / workers), "divides without rounding up"),
                (shown((rounds - 1) * each), "drops the last round"),
            ],
            f"{rounds} rounds of {shown(each)} s.",
        )
    )
    rng.shuffle(claims)
    rows = "\n".join(
        f"{name}: up to {attempts} retries; a call takes {seconds} s whether it succeeds or fails; {_failing(failures)}"
        for name, (attempts, seconds, failures) in tasks.items()
    )
    text = f"""A Step Functions workflow runs four Task states one after the other. Each has a Retry with IntervalSeconds {interval}, BackoffRate {rate}, MaxDelaySeconds {cap}, no jitter, and MaxAttempts as below, which counts retries and not the first call; the wait before retry k is IntervalSeconds x BackoffRate^(k-1), but never more than MaxDelaySeconds. When the retries of a state are used up, the execution goes to a handler that takes {over} seconds, and ends. Everything else takes no time. Each state, in this order:

{rows}

Statements about one state alone are about that state if it is reached. In another workflow a Map runs its items in rounds of {workers} at a time, and an item takes as long as Label alone here plus 2.5 seconds; a round starts when the one before it has ended."""
    return Scenario(
        "operations",
        ["AWS Step Functions"],
        "AWS Step Functions Developer Guide: Error handling, Retry",
        text,
        claims[:10],
        "The first call is not a retry, waits grow by the rate up to the maximum, and the first exhausted state ends the run.",
    )


def _failing(failures: int) -> str:
    if failures == 0:
        return "no call fails"
    return (
        f"the first {failures} calls fail, later ones succeed"
        if failures > 1
        else "the first call fails, later ones succeed"
    )


@scenario((221, 187, 1.0, 0.72), (222, 264, 2.0, 0.64))
def migration(setting: tuple[int, int, float, float]) -> Scenario:
    seed, terabytes, gigabits, share = setting
    rng = random.Random(seed)
    change = rng.choice((0.83, 1.17, 1.46))
    night = rng.choice((0.86, 0.93))
    throttled = round(share - 0.21, 2)
    window = rng.choice((100, 145))

    def speed(part: float) -> float:
        """TB per day."""
        return gigabits * 1e9 * part / 8 * 86400 / 1e12

    mean = (speed(throttled) * 10 + speed(night) * 14) / 24

    def passes(rate: float, count: int, delta: float = change) -> list[float]:
        days = [terabytes / rate]
        for _ in range(count - 1):
            days.append(days[-1] * delta / rate)
        return days

    right = passes(mean, 6)
    plain = passes(speed(share), 6)
    first = next(n for n, d in enumerate(right, start=1) if d * 1440 <= window)
    cut = sum(right[: first - 1])

    def slips(value: float, *others: tuple[float, str], digits: int = 2) -> list[tuple[str, str]]:
        return [
            (f"{other:,.{digits}f}", why) for other, why in others if f"{other:.{digits}f}" != f"{value:.{digits}f}"
        ]

    claims = [
        Claim(
            "The first pass takes {} days.",
            f"{right[0]:.2f}",
            slips(
                right[0],
                (plain[0], "uses the average of the old plan"),
                (terabytes / speed(night), "uses the night's rate all day"),
                (right[0] * 1.0995, "takes a TB for 2^40 bytes"),
            ),
            "The mean rate over 24 hours.",
        ),
        Claim(
            "The second pass takes {} hours.",
            f"{right[1] * 24:.2f}",
            slips(
                right[1] * 24,
                (plain[1] * 24, "uses the average of the old plan"),
                (change / mean * 24, "counts the changes of one day"),
                (right[1] * 24 * 1.05, "rounds the first pass"),
            ),
            "The changes during the first pass.",
        ),
        Claim(
            "The third pass takes {} minutes.",
            f"{right[2] * 1440:.2f}",
            slips(
                right[2] * 1440,
                (plain[2] * 1440, "uses the average of the old plan"),
                (right[1] * 1440, "repeats the second pass"),
            ),
            "The changes during the second pass.",
        ),
        Claim(
            "The mean rate is {} TB per day.",
            f"{mean:.3f}",
            slips(
                mean,
                (speed(share), "uses the average of the old plan"),
                ((speed(throttled) + speed(night)) / 2, "weighs day and night alike"),
                digits=3,
            ),
            "Ten hours at one rate and fourteen at the other.",
        ),
        Claim(
            "The first pass that fits the read-only window is pass {}.",
            str(first),
            [(str(first + 1), "is one pass too late"), (str(first - 1), "is one pass too early")],
            f"Passes in minutes: {[round(d * 1440, 1) for d in right[:5]]}.",
        ),
        Claim(
            "The read-only window may begin after {} days.",
            f"{cut:.2f}",
            slips(
                cut,
                (sum(plain[: first - 1]), "uses the average of the old plan"),
                (cut + right[first - 1], "adds the last pass"),
                (right[0], "leaves out the passes between"),
            ),
            "The sum of all passes before the last one.",
        ),
        Claim(
            "Each pass lasts {} times as long as the one before.",
            f"{change / mean:.4f}",
            slips(
                change / mean,
                (change / speed(share), "uses the average of the old plan"),
                (mean / change, "takes the inverse"),
                digits=4,
            ),
            "Change per day divided by the mean rate.",
        ),
        Claim(
            "With twice the changes per day the second pass takes {} hours.",
            f"{right[1] * 48:.2f}",
            slips(right[1] * 48, (right[1] * 96, "doubles twice"), (right[1] * 24, "leaves the changes as they are")),
            "The first pass is the same, the changes are doubled.",
        ),
        Claim(
            "At the old plan's rate the first pass would take {} days.",
            f"{plain[0]:.2f}",
            slips(plain[0], (terabytes / speed(1.0), "uses the whole link"), (right[0], "uses the mean rate")),
            f"{share:.0%} of the link.",
        ),
        Claim(
            "During the first two passes {} TB are changed or added.",
            f"{(right[0] + right[1]) * change:.3f}",
            slips(
                (right[0] + right[1]) * change,
                (right[0] * change, "counts the first pass only"),
                ((plain[0] + plain[1]) * change, "uses the average of the old plan"),
                digits=3,
            ),
            "Changes per day times the days of both.",
        ),
    ]
    text = f"""{terabytes} TB of files move to Amazon S3 by AWS DataSync over a {gigabits:g} Gbps Direct Connect link; 1 TB is 10^12 bytes, 1 Gbps is 10^9 bits per second. An old plan assumed that {share:.0%} of the link could be used all day. In fact {throttled:.0%} can be used for 10 hours of each day and {night:.0%} for the other 14; for this question the mean of the two rates by hours applies at every moment. While passes run, {change} TB per day are changed or added evenly on the source. Each pass copies what had changed or been added when it started and was not copied before; the next one starts at once, and nothing else takes time. The last pass runs while the source is read-only, for {window} minutes at most."""
    return Scenario(
        "migration",
        ["AWS DataSync", "AWS Direct Connect", "Amazon S3"],
        "AWS DataSync User Guide: How AWS DataSync transfers work",
        text,
        claims,
        "Each pass copies the changes of the one before; the mean rate weighs the hours.",
    )


__all__ = ["truth"]
