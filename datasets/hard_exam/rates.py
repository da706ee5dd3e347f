"""Queues, credits, capacity units, concurrency, token buckets, alarms and scaling."""

import itertools
import random
from math import ceil

from scenario import Claim, Scenario, scenario, truth


def _around(value: int, *slips: tuple[float, str]) -> list[tuple[str, str]]:
    return [(f"{round(slip):,}", why) for slip, why in slips if round(slip) != value]


@scenario((91, "image jobs", 7), (92, "invoice jobs", 11))
def backlog(setting: tuple[int, str, int]) -> Scenario:
    seed, name, batch = setting
    rng = random.Random(seed)
    arrivals = [rng.randint(31, 97) for _ in range(12)]
    workers = [rng.choice((29, 43, 59, 83)) for _ in range(12)]
    for hour in (3, 7):
        workers[hour] = 11
    duration = rng.choice((5.6, 6.3, 7.7)) if batch == 7 else rng.choice((8.8, 9.9, 12.1))

    def rate(hour: int) -> float:
        return workers[hour] * batch / duration

    def run(hours: int, loss: float = 0.0, single: bool = False) -> tuple[float, float, float]:
        """Backlog, processed and the largest backlog after so many hours, by fluid flow."""
        left = processed = largest = 0.0
        for hour in range(hours):
            capacity = (workers[hour] / duration if single else rate(hour)) * 3600 * (1 - loss)
            done = min(left + arrivals[hour] * 3600, capacity)
            left += arrivals[hour] * 3600 - done
            processed += done
            largest = max(largest, left)
        return left, processed, largest

    claims = []
    for hours in rng.sample(range(2, 13), 6):
        right = round(run(hours)[0])
        before = run(hours - 1)[0]
        naive = sum((arrivals[h] - rate(h)) * 3600 for h in range(hours))
        slips = _around(
            right,
            (max(0, naive), "counts idle capacity of earlier hours"),
            (before, "is one hour behind"),
            (right * 0.9 + 1800, "rounds the rate"),
            (right + 3600, "miscounts one message per second"),
        )
        claims.append(
            Claim(
                f"At {hours + 6:02d}:00 {{}} messages wait.",
                f"{right:,}",
                slips,
                f"Hour by hour: {before:,.0f} before, then {arrivals[hours - 1]} arrive and {rate(hours - 1):.3f} leave per second at most.",
            )
        )
    for hours in rng.sample(range(4, 13), 3):
        right = round(run(hours)[1])
        full = sum(rate(h) * 3600 for h in range(hours))
        claims.append(
            Claim(
                f"By {hours + 6:02d}:00 {{}} messages are processed.",
                f"{right:,}",
                _around(
                    right,
                    (full, "counts capacity that had nothing to do"),
                    (sum(arrivals[:hours]) * 3600, "takes everything that arrived"),
                    (right - 3600, "miscounts one message per second"),
                ),
                "No more can be processed than has arrived.",
            )
        )
    largest = round(run(12)[2])
    claims.append(
        Claim(
            "The largest backlog at a full hour is {} messages.",
            f"{largest:,}",
            _around(
                largest,
                (run(11)[2] * 0.93, "looks at the wrong hour"),
                (largest + 7200, "miscounts two messages per second"),
            ),
            "Over all hours from 07:00 to 18:00.",
        )
    )
    rows = "\n".join(
        f"{hour + 6:02d}:00 to {hour + 7:02d}:00: {arrivals[hour]} messages per second, {workers[hour]} concurrent executions"
        for hour in range(12)
    )
    text = f"""A standard queue of {name} is processed by a Lambda function with batches of {batch} messages; one execution handles a batch in {duration} seconds and takes the next one at once. The queue is empty at 06:00. Arrivals and the concurrency that the function has, hour by hour:

{rows}

Flow is even within an hour; batches are always full while there is a backlog, and without one the function keeps up with arrivals if its rate allows it. Numbers in the statements are rounded to whole messages."""
    return Scenario(
        "performance",
        ["Amazon SQS", "AWS Lambda"],
        "AWS Lambda Developer Guide: Using Lambda with Amazon SQS",
        text,
        claims,
        "The backlog of an hour is what was left, plus arrivals, minus the rate, and never below zero.",
    )


@scenario((101, 2, 24, 576, 90), (102, 4, 96, 2304, 700))
def credits(setting: tuple[int, int, int, int, int]) -> Scenario:
    seed, vcpus, earned, cap, start = setting
    rng = random.Random(seed)
    use = [rng.choice((6, 9, 14, 22, 35, 48, 63, 77)) for _ in range(24)]
    for hour in range(9):
        use[hour] = rng.choice((4, 7, 9))
    for hour in (12, 13, 14, 15):
        use[hour] = rng.choice((71, 83, 92))

    def run(hours: int, limit: float = cap, vcpu: int = vcpus) -> tuple[float, float, float]:
        """Balance, credits lost to the cap, and credits missing, after so many hours from midnight."""
        balance, lost, missing = float(start), 0.0, 0.0
        for hour in range(hours):
            balance += earned - vcpu * use[hour] / 100 * 60
            if balance > limit:
                lost += balance - limit
                balance = limit
            if balance < 0:
                missing -= balance
                balance = 0.0
        return balance, lost, missing

    def shown(value: float) -> str:
        return f"{value:.1f}"

    claims = []
    for hours in rng.sample(range(5, 25), 7):
        right = run(hours)[0]
        slips = [
            (shown(run(hours, limit=1e9)[0]), "forgets the cap"),
            (shown(run(hours, vcpu=1)[0]), "counts one vCPU"),
            (shown(run(hours - 1)[0]), "is one hour behind"),
            (shown(right + 4.8), "misreads one percentage"),
            (shown(max(0.0, right - earned)), "forgets the credits of one hour"),
        ]
        claims.append(
            Claim(
                f"At {hours:02d}:00 the balance is {{}} credits.",
                shown(right),
                slips,
                "Hour by hour, held between 0 and the cap.",
            )
        )
    _, lost, missing = run(24)
    claims.append(
        Claim(
            "By 24:00 {} credits were lost to the cap.",
            shown(lost),
            [
                (shown(lost + 12), "misreads one percentage"),
                (shown(run(12)[1] * 0.5 + 1.2), "looks at half of the night"),
            ],
            "Summed over the hours that end at the cap.",
        )
    )
    claims.append(
        Claim(
            "By 24:00 {} credits were lacking in all.",
            shown(missing),
            [
                (shown(missing + earned), "forgets the credits earned in one hour"),
                (shown(max(0.0, missing - 28.8)), "misreads one percentage"),
            ],
            "Summed over the hours in which the balance reached zero.",
        )
    )
    total = sum(vcpus * u / 100 * 60 for u in use)
    claims.append(
        Claim(
            "The load of the day would spend {} credits in all.",
            shown(total),
            [(shown(total / vcpus), "counts one vCPU"), (shown(total + 18), "misreads one percentage")],
            "The sum over 24 hours.",
        )
    )
    rows = ", ".join(f"{hour:02d}h {u}%" for hour, u in enumerate(use))
    text = f"""A burstable instance in standard mode has {vcpus} vCPUs, earns {earned} CPU credits per hour and holds {cap} at most; one credit is one vCPU at 100% for one minute. At 00:00 it has {start} credits. The load asks for these average utilizations over all vCPUs, hour by hour (00h is 00:00 to 01:00): {rows}.

For this question earning and spending are settled at the end of each hour: the credits of the hour are added, the credits that its load would spend are taken away, and the result is held between 0 and {cap}. What was above is lost, what was below is lacking (the instance was throttled). Nothing is carried over of either."""
    return Scenario(
        "performance",
        ["Amazon EC2"],
        "Amazon EC2 User Guide: Burstable performance instances, CPU credits",
        text,
        claims,
        "Each hour adds what is earned, takes what is spent, and is held between zero and the cap.",
    )


@scenario(111, 112)
def capacity_units(setting: int) -> Scenario:
    rng = random.Random(setting)
    sizes = {name: rng.randint(700, 11900) for name in ("order", "line", "event", "profile", "basket")}
    projected = {name: rng.randint(200, 2600) for name in sizes}

    def write(size: int) -> int:
        return ceil(size / 1024)

    def read(size: int) -> int:
        return ceil(size / 4096)

    r = {name: rng.randint(13, 87) for name in "abcdefghij"}
    counts = {name: rng.randint(11, 64) for name in "bcdh"}
    rows: list[tuple[str, str, float, list[tuple[float, str]]]] = []

    def add(letter: str, words: str, right: float, *slips: tuple[float, str]) -> None:
        rows.append((letter, words, right, list(slips)))

    s, p = sizes, projected
    add(
        "a",
        f"{r['a']} TransactWriteItems with one put of order and one of line",
        r["a"] * 2 * (write(s["order"]) + write(s["line"])),
        (r["a"] * (write(s["order"]) + write(s["line"])), "forgets the double price"),
        (r["a"] * 2 * write(s["order"] + s["line"]), "rounds the sum"),
    )
    add(
        "b",
        f"{r['b']} strongly consistent Query calls that read {counts['b']} items line each, of which a filter drops two thirds",
        r["b"] * read(s["line"] * counts["b"]),
        (r["b"] * counts["b"] * read(s["line"]), "rounds each item"),
        (r["b"] * read(s["line"] * counts["b"] // 3), "lets the filter count"),
    )
    add(
        "c",
        f"{r['c']} eventually consistent BatchGetItem calls for {counts['c']} items profile each",
        r["c"] * counts["c"] * read(s["profile"]) / 2,
        (r["c"] * read(s["profile"] * counts["c"]) / 2, "rounds the sum"),
        (r["c"] * counts["c"] * read(s["profile"]), "forgets the half price"),
    )
    add(
        "d",
        f"{r['d']} eventually consistent Query calls that read {counts['d']} items event each",
        r["d"] * read(s["event"] * counts["d"]) / 2,
        (r["d"] * counts["d"] * read(s["event"]) / 2, "rounds each item"),
        (r["d"] * read(s["event"] * counts["d"]), "forgets the half price"),
    )
    add(
        "e",
        f"{r['e']} UpdateItem calls that add 90 bytes to items basket, not projected",
        r["e"] * write(s["basket"] + 90),
        (r["e"], "counts the changed bytes only"),
        (r["e"] * (write(s["basket"] + 90) + write(p["basket"])), "writes to the index too"),
    )
    add(
        "f",
        f"{r['f']} UpdateItem calls that change the index key of items order, same size",
        r["f"] * (write(s["order"]) + 2 * write(p["order"])),
        (r["f"] * (write(s["order"]) + write(p["order"])), "counts one index write"),
        (r["f"] * write(s["order"]), "forgets the index"),
    )
    add(
        "g",
        f"{r['g']} PutItem calls of new items event with the index key",
        r["g"] * (write(s["event"]) + write(p["event"])),
        (r["g"] * write(s["event"]), "forgets the index"),
        (r["g"] * (write(s["event"]) * 2), "projects the whole item"),
    )
    add(
        "h",
        f"{r['h']} TransactGetItems with {counts['h']} items basket each",
        r["h"] * 2 * counts["h"] * read(s["basket"]),
        (r["h"] * counts["h"] * read(s["basket"]), "forgets the double price"),
        (r["h"] * 2 * read(s["basket"] * counts["h"]), "rounds the sum"),
    )
    add(
        "i",
        f"{r['i']} DeleteItem calls of items line with the index key",
        r["i"] * (write(s["line"]) + write(p["line"])),
        (r["i"] * write(s["line"]), "forgets the index"),
        (r["i"] * (1 + write(p["line"])), "takes a deletion for one unit"),
    )
    add(
        "j",
        f"{r['j']} PutItem calls with a condition that fails, on items profile",
        r["j"] * write(s["profile"]),
        (0, "takes failed writes to be free"),
        (r["j"], "counts one unit per failure"),
    )
    claims = []
    for letter, words, right, slips in rows:
        unit = "read" if any(word in words for word in ("Query", "Get")) else "write"
        claims.append(
            Claim(
                f"Workload ({letter}) consumes {{}} {unit} units per second.",
                f"{right:,g}",
                [(f"{value:,g}", why) for value, why in slips],
                "By the rules stated in the question.",
            )
        )
    claims = [claim for claim in claims if any(slip[0] != claim.right for slip in claim.slips)]
    items = ", ".join(f"{name} {size:,} bytes ({projected[name]:,} bytes in the index)" for name, size in sizes.items())
    lines = "\n".join(f"({letter}) {words}" for letter, words, _, _ in rows)
    text = f"""A provisioned table has one global secondary index that projects some attributes. Sizes of the items: {items}. Items are in the index only if they have its key; workloads that do not mention the index key concern items without it.

Rules: one read unit is a strongly consistent read of up to 4 KB per second, eventually consistent half, transactional double; one write unit is a write of up to 1 KB, transactional double, index writes never double; 1 KB is 1,024 bytes. A Query rounds the sum of what it read before filters, BatchGetItem and transactions round each item. An update costs the larger of the sizes before and after, a deletion and a write whose condition fails the size of the item that exists. A change of the index key costs two index writes of the projected size, a new or deleted item with the key one. Table and index units are added.

Per second:
{lines}"""
    return Scenario(
        "performance",
        ["Amazon DynamoDB"],
        "Amazon DynamoDB Developer Guide: Capacity unit consumption; Global secondary indexes",
        text,
        claims,
        "Queries round sums, batches and transactions round items, and indexes cost writes of their own.",
    )


@scenario((121, 3000, 1000), (122, 2500, 1500))
def concurrency(setting: tuple[int, int, int]) -> Scenario:
    seed, quota, step = setting
    rng = random.Random(seed)
    names = "ABCDEFGH"
    rate = {name: rng.randint(41, 397) for name in names}
    duration = {name: rng.choice((180, 340, 620, 870, 1150, 1730, 2240)) for name in names}
    need = {name: rate[name] * duration[name] / 1000 for name in names}
    reserved = {name: ceil(need[name] * factor) for name, factor in (("A", 1.1), ("C", 0.94), ("E", 1.02), ("F", 0.99))}
    for name in reserved:
        reserved[name] += rng.randint(-3, 3)
    provisioned = {"A": reserved["A"] // 2, "B": ceil(need["B"] * 0.6)}
    left = quota - sum(reserved.values())
    # provisioned concurrency of a function without a reservation is taken out of the unreserved pool
    shared = left - provisioned["B"]
    pool = sum(need[name] for name in "DGH") + max(0.0, need["B"] - provisioned["B"])

    def f(value: float) -> str:
        return f"{value:,.2f}".rstrip("0").rstrip(".")

    claims = [
        truth(
            f"Function {name} {{}} throttled at its reservation.",
            need[name] > reserved[name],
            ("is", "is not"),
            "rounds rate times duration",
            f"It needs {f(need[name])} of {reserved[name]}.",
        )
        for name in reserved
    ]
    claims += [
        Claim(
            "The unreserved pool has {} executions.",
            f"{left:,}",
            [
                (f"{left - provisioned['A']:,}", "takes the provisioned part of A out twice"),
                (f"{shared:,}", "takes the provisioned part of B out"),
            ],
            "The quota less the reservations.",
        ),
        Claim(
            "Besides B's provisioned part the pool has {} executions.",
            f"{shared:,}",
            [
                (f"{left:,}", "forgets that provisioned concurrency is taken out"),
                (f"{shared - provisioned['A']:,}", "takes A's provisioned part out as well"),
            ],
            "B has no reservation, so its provisioned concurrency comes out of the pool.",
        ),
        Claim(
            "Functions D, G and H together need {} executions.",
            f(need["D"] + need["G"] + need["H"]),
            [
                (f(need["D"] + need["G"] + need["H"] + need["B"]), "adds B"),
                (f(need["D"] + need["H"] + need["E"]), "exchanges G and E"),
            ],
            "Rate times duration, added up.",
        ),
        truth(
            "The rest of the pool {} for D, G, H and what B needs beyond its provisioned part.",
            pool <= shared,
            ("is enough", "is too small"),
            "forgets B or the provisioned part",
            f"They need {f(pool)} of {f(shared)}.",
        ),
        Claim(
            "B needs {} executions beyond its provisioned part.",
            f(max(0.0, need["B"] - provisioned["B"])),
            [
                (f(need["B"]), "forgets the provisioned part"),
                (f(max(0.0, need["B"] * 1.1 - provisioned["B"])), "misreads the duration"),
            ],
            "Rate times duration less what is provisioned.",
        ),
        Claim(
            "At most {} more executions could be reserved.",
            f"{left - provisioned['B'] - 100:,}",
            [
                (f"{left:,}", "forgets the 100 that must stay unreserved"),
                (f"{left - 100:,}", "forgets B's provisioned part"),
            ],
            "100 must stay unreserved, and B's provisioned part is in use.",
        ),
    ]
    rows = "\n".join(
        f"{name}: {rate[name]} requests per second, {duration[name]} ms"
        + (f", reserved {reserved[name]}" if name in reserved else "")
        + (f", provisioned {provisioned[name]}" if name in provisioned else "")
        for name in names
    )
    text = f"""The Lambda functions of an account share a concurrency quota of {quota:,} in the Region, of which 100 must stay unreserved. Load is constant and even:

{rows}

A function needs rate times duration executions. Reserved concurrency is taken out of the pool and is a limit for the function; provisioned concurrency of a function with a reservation is part of the reservation, of a function without one it is taken out of the pool for that function alone. For the number that could be reserved in addition, provisioned concurrency is not available. Functions scale by up to {step:,} executions every ten seconds, which is enough here."""
    return Scenario(
        "performance",
        ["AWS Lambda"],
        "AWS Lambda Developer Guide: Reserved concurrency; Provisioned concurrency",
        text,
        claims,
        "Concurrency is rate times duration; reservations and provisioned parts are taken out of one quota.",
    )


@scenario((131, 37, 120), (132, 53, 95))
def tokens(setting: tuple[int, int, int]) -> Scenario:
    seed, rate, burst = setting
    rng = random.Random(seed)
    sent = [rng.choice((0, 12, 28, 41, 66, 97, 140, 183)) for _ in range(20)]
    own_rate, own_burst = rate + 30, burst - 40

    def run(seconds: int, first: bool = True, refill_before: bool = True) -> tuple[float, float, int, int]:
        stage, client, accepted, refused = float(burst), float(own_burst), 0, 0
        for second in range(seconds):
            if second and refill_before:
                stage, client = min(burst, stage + rate), min(own_burst, client + own_rate)
            passed = min(sent[second], int(client)) if first else sent[second]
            client -= passed if first else 0
            through = min(passed, int(stage))
            stage -= through
            accepted += through
            refused += sent[second] - through
            if not refill_before:
                stage, client = min(burst, stage + rate), min(own_burst, client + own_rate)
        return stage, client, accepted, refused

    claims = []
    for seconds in rng.sample(range(3, 21), 5):
        right = run(seconds)[2]
        slips = _around(
            right,
            (run(seconds, first=False)[2], "forgets the client's own bucket"),
            (sum(sent[:seconds]), "forgets both limits"),
            (right + rate, "refills once too often"),
            (right - 7, "rounds a second"),
        )
        claims.append(
            Claim(
                f"Of the first {seconds} seconds {{}} requests are accepted.",
                f"{right:,}",
                slips,
                "Second by second through both buckets.",
            )
        )
    for seconds in rng.sample(range(4, 21), 3):
        right = round(run(seconds)[0])
        claims.append(
            Claim(
                f"After second {seconds} the stage's bucket holds {{}} tokens.",
                f"{right:,}",
                _around(
                    right,
                    (min(burst, right + rate), "refills once too often"),
                    (run(seconds, first=False)[0], "forgets the client's own bucket"),
                    (right + 11, "misreads a second"),
                ),
                "Second by second through both buckets.",
            )
        )
    for seconds in rng.sample(range(5, 21), 2):
        right = run(seconds)[3]
        claims.append(
            Claim(
                f"Of the first {seconds} seconds {{}} requests are refused.",
                f"{right:,}",
                _around(
                    right,
                    (run(seconds, first=False)[3], "forgets the client's own bucket"),
                    (right + 13, "misreads a second"),
                ),
                "What is not accepted is refused.",
            )
        )
    rows = ", ".join(f"{number}: {count}" for number, count in enumerate(sent, start=1))
    text = f"""An API has a stage throttle with a rate of {rate} requests per second and a burst of {burst}; a client has a usage plan with a rate of {own_rate} and a burst of {own_burst}. Both are token buckets: full at the start of second 1; at the start of each later second the rate is added, up to the burst. In a second each request takes a token of the client's bucket or is refused there; if it got one, it takes a token of the stage's bucket or is refused there (the client's token is spent all the same). Only this client sends requests; per second it sends:

{rows}"""
    return Scenario(
        "operations",
        ["Amazon API Gateway"],
        "Amazon API Gateway Developer Guide: Throttle requests",
        text,
        claims,
        "A request needs a token of both buckets, and each bucket is refilled once a second up to its burst.",
    )


@scenario((141, 3, 5), (142, 4, 6))
def alarms(setting: tuple[int, int, int]) -> Scenario:
    seed, needed, window = setting
    rng = random.Random(seed)
    values = [rng.randint(52, 99) for _ in range(40)]
    threshold = 78

    def states(m: int = needed, n: int = window, inclusive: bool = False) -> list[str]:
        result = []
        for minute in range(len(values)):
            seen = values[max(0, minute - n + 1) : minute + 1]
            breaching = sum(value >= threshold if inclusive else value > threshold for value in seen)
            result.append("ALARM" if minute + 1 >= n and breaching >= m else "OK")
        return result

    right = states()
    others = [
        (states(inclusive=True), "counts a value at the threshold"),
        (states(m=needed - 1), "needs one breach too few"),
        (states(n=window - 1), "looks at one minute too few"),
    ]
    changes = sum(a != b for a, b in itertools.pairwise(right))
    first = right.index("ALARM") + 1
    claims = []
    for minute in rng.sample(range(window, 40), 6):
        slip = next((why for other, why in others if other[minute] != right[minute]), "miscounts the window")
        claims.append(
            truth(
                f"After minute {minute + 1} the alarm is in the state {{}}.",
                right[minute] == "ALARM",
                ("ALARM", "OK"),
                slip,
                f"The last {window} values are {values[minute - window + 1 : minute + 1]}.",
            )
        )
    claims += [
        Claim(
            "The alarm changes its state {} times in the 40 minutes.",
            str(changes),
            [(str(sum(a != b for a, b in itertools.pairwise(other))), why) for other, why in others]
            + [(str(changes + 1), "miscounts by one")],
            "Counted over all minutes.",
        ),
        Claim(
            "The alarm is in the state ALARM after {} of the 40 minutes.",
            str(right.count("ALARM")),
            [(str(other.count("ALARM")), why) for other, why in others]
            + [(str(right.count("ALARM") + 1), "miscounts by one")],
            "Counted over all minutes.",
        ),
        Claim(
            "The alarm fires for the first time after minute {}.",
            str(first),
            [
                (str(first + 1), "looks at one minute too few"),
                (str(first - 1), "needs one breach too few"),
                *[(str(other.index("ALARM") + 1), why) for other, why in others],
            ],
            f"The first window with {needed} breaches.",
        ),
    ]
    longest = max(len(run) for run in "".join("A" if s == "ALARM" else " " for s in right).split())
    claims.append(
        Claim(
            "The longest time in ALARM without a break lasts {} minutes.",
            str(longest),
            [(str(longest + 1), "miscounts by one"), (str(longest - 1), "miscounts by one")],
            "Counted over all minutes.",
        )
    )
    text = f"""A CloudWatch alarm has a period of one minute, fires when {needed} out of the last {window} values are greater than {threshold} (a value of {threshold} does not breach), and is in the state OK otherwise, also before there are {window} values. No value is missing. Values of minutes 1 to 40: {", ".join(map(str, values))}."""
    return Scenario(
        "operations",
        ["Amazon CloudWatch"],
        "Amazon CloudWatch User Guide: Evaluating an alarm, M out of N",
        text
        + " The state after a minute takes that minute's value into account, and the alarm starts in the state OK before minute 1, which counts as no change if it is OK after it.",
        claims,
        "Each minute counts the breaches among the last values, its own included.",
    )


@scenario((151, 4, 26), (152, 6, 30))
def scaling(setting: tuple[int, int, int]) -> Scenario:
    seed, minimum, maximum = setting
    rng = random.Random(seed)
    load = [rng.randint(240, 520) for _ in range(5)]
    while len(load) < 30:
        load.append(max(180, min(2300, load[-1] + rng.randint(-330, 370))))
    per_instance = 100
    warm = 3

    def run(cooldown: int = 4, warmup: int = warm) -> list[tuple[int, int]]:
        """Desired and warm instances after each minute."""
        ready, starting, blocked, history = minimum, [], 0, []
        for minute, demand in enumerate(load, start=1):
            ready += sum(count for due, count in starting if due == minute)
            starting = [(due, count) for due, count in starting if due > minute]
            desired = ready + sum(count for _, count in starting)
            use = demand / (ready * per_instance) * 100
            change = 4 if use >= 95 else 2 if use >= 80 else 0
            if change:
                # new instances that are still warming up count towards the step
                extra = max(0, min(change - sum(count for _, count in starting), maximum - desired))
                starting += [(minute + warmup, extra)] if extra else []
            elif use < 45 and minute > blocked:
                drop = min(1 if use >= 30 else 2, desired - minimum)
                ready -= drop
                blocked = minute + cooldown if drop else blocked
            history.append((ready + sum(count for _, count in starting), ready))
        return history

    right = run()
    others = [(run(cooldown=0), "forgets the cooldown"), (run(warmup=1), "forgets the warm-up")]
    claims = []
    for minute in rng.sample(range(6, 30), 6):
        slips = [(str(other[minute][0]), why) for other, why in others] + [
            (str(right[minute][0] + 2), "adds a step too many"),
            (str(max(minimum, right[minute][0] - 1)), "removes one too many"),
        ]
        claims.append(
            Claim(
                f"After minute {minute + 1} the desired capacity is {{}}.",
                str(right[minute][0]),
                slips,
                "By simulation minute by minute.",
            )
        )
    for minute in rng.sample(range(8, 30), 3):
        slips = [
            (str(right[minute][0]), "counts instances that warm up"),
            *[(str(other[minute][1]), why) for other, why in others],
            (str(right[minute][1] + 1), "miscounts by one"),
            (str(right[minute][1] + 2), "is a step ahead"),
        ]
        claims.append(
            Claim(
                f"After minute {minute + 1} {{}} instances are in service.",
                str(right[minute][1]),
                slips,
                "By simulation minute by minute.",
            )
        )
    top = max(desired for desired, _ in right)
    claims.append(
        Claim(
            "The highest desired capacity is {}.",
            str(top),
            [(str(max(d for d, _ in other)), why) for other, why in others]
            + [(str(top + 2), "adds a step too many"), (str(top - 1), "miscounts by one")],
            "Over all 30 minutes.",
        )
    )
    text = f"""An Auto Scaling group with a minimum of {minimum} and a maximum of {maximum} instances starts with {minimum} in service. An instance in service takes {per_instance} requests per second at 100% utilization. For this question each minute goes as follows: first, instances whose warm-up of {warm} minutes has ended come into service (started in minute n: in service from minute n + {warm} on); then utilization is computed as load / (instances in service x {per_instance}); then the policies act.

Scale out: at 95% or more the step is 4 instances, at 80% or more it is 2; instances that are still warming up are taken off the step, and the maximum is never exceeded. Scale in, only if scale out does nothing to do (utilization below 80%) and utilization is below 45%: 2 instances are removed below 30%, otherwise 1, at once, from those in service, never below the minimum of desired capacity (in service plus warming up); after a removal in minute n the next one can be made in minute n + 5 at the earliest. Load in requests per second in minutes 1 to 30:

{", ".join(map(str, load))}"""
    return Scenario(
        "operations",
        ["Amazon EC2 Auto Scaling"],
        "Amazon EC2 Auto Scaling User Guide: Step and simple scaling policies, instance warm-up",
        text.replace("only if scale out does nothing to do (utilization below 80%) and", "only if"),
        claims,
        "Instances that warm up count towards a step but not towards utilization.",
    )
