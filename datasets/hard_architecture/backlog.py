"""A pipeline of queues with workers that scale late, a stage that is down for a while, and a dead-letter queue."""

import random
from typing import Any

from task import Diagram, Study, asks, first_that_bites, with_early

STAGES = ("Intake", "Resize", "Index", "Publish")
MINUTES = 72
EARLY = 12
"""Minutes after which first facts are asked for."""
SPAN = 3
"""Minutes for which the source sends the same number of messages."""


def _outcome(world: dict[str, Any], slip: str = "") -> dict[str, Any]:
    return with_early(_run(world, slip, MINUTES), _run(world, slip, EARLY), ("left", "worker_minutes", "published"))


def _run(world: dict[str, Any], slip: str, until: int) -> dict[str, Any]:
    queues: dict[str, list[int]] = {stage: [] for stage in STAGES}
    """The tries so far of each message, in order."""
    workers = dict(world["least"])
    pending: dict[str, list[tuple[int, int]]] = {stage: [] for stage in STAGES}
    quiet = dict.fromkeys(STAGES, 0)
    peak, dead, done, paid, first_empty, low = dict.fromkeys(STAGES, (0, 0)), [0, 0], 0, 0, 0, 0
    most, added, seen, taken_by_resize = dict(workers), 0, [], 0
    hidden: dict[int, list[int]] = {}
    for minute in range(1, until + 1):
        for stage in STAGES:
            workers[stage] += sum(count for due, count in pending[stage] if due == minute)
            most[stage] = max(most[stage], workers[stage])
        queues["Publish"] += hidden.pop(minute, [])
        queues["Intake"] += [0] * world["arrivals"][(minute - 1) // SPAN]
        moved: dict[str, list[int]] = {stage: [] for stage in STAGES}
        for place, stage in enumerate(STAGES):
            count = min(len(queues[stage]), workers[stage] * world["rate"][stage])
            taken, queues[stage] = queues[stage][:count], queues[stage][count:]
            if stage == "Publish" and any(first <= minute <= last for first, last in world["down"]):
                again = [tries + 1 for tries in taken]
                lost = [tries for tries in again if tries == world["receives"]]
                hidden[minute + world["hidden"]] = [t for t in again if t < world["receives"]]
                dead[0] += len(lost)
                dead[1] = dead[1] or (minute if lost else 0)
            elif place + 1 < len(STAGES):
                failed = 0
                if stage == "Resize" and slip != "sound":
                    failed = (taken_by_resize + count) // world["nth"] - taken_by_resize // world["nth"]
                    taken_by_resize += count
                moved[stage] += [0] * failed
                moved[STAGES[place + 1]] = [0] * (count - failed) * world["parts"][stage]
            else:
                done += count
        for stage in STAGES:
            queues[stage] += moved[stage]
        for stage in STAGES:
            size = len(queues[stage])
            peak[stage] = max(peak[stage], (size, -minute))
            paid += workers[stage]
            busy = slip != "eager" and (quiet[stage] >= minute)
            coming = sum(count for due, count in pending[stage] if due > minute)
            if busy:
                continue
            if size > world["up"][stage] and workers[stage] + coming < world["limit"][stage]:
                step = min(world["step"][stage], world["limit"][stage] - workers[stage] - coming)
                pending[stage].append((minute + (1 if slip == "instant" else world["start"][stage]), step))
                quiet[stage] = minute + world["cooldown"]
                added += step
            elif size == 0 and workers[stage] > world["least"][stage]:
                workers[stage] -= 1
                quiet[stage] = minute + world["cooldown"]
        total = sum(len(queue) for queue in queues.values()) + sum(len(batch) for batch in hidden.values())
        seen.append(total)
        low = low or (minute if total > 2000 else 0)
        first_empty = minute if total else first_empty
    return {
        **{f"{stage.lower()}_peak": peak[stage][0] for stage in STAGES},
        **{f"{stage.lower()}_peak_minute": -peak[stage][1] for stage in STAGES},
        "dead": dead[0],
        "first_dead": dead[1],
        "published": done,
        "worker_minutes": paid,
        "left": seen[-1],
        "waiting_30": seen[:30][-1],
        "waiting_50": seen[:50][-1],
        "added": added,
        "publish_most": most["Publish"],
        "resize_most": most["Resize"],
        "over_2000": low,
    }


def build(number: int, seed: int, domain: str, name: str) -> tuple[dict[str, Any], Diagram]:
    return first_that_bites(number, seed, lambda rng: _study(rng, domain, name))


def _study(rng: random.Random, domain: str, name: str) -> Study | None:
    world: dict[str, Any] = {
        "arrivals": [rng.randint(23, 140) for _ in range(MINUTES // SPAN)],
        "rate": {
            "Intake": rng.randint(13, 19),
            "Resize": rng.randint(21, 29),
            "Index": rng.randint(23, 31),
            "Publish": rng.randint(17, 26),
        },
        "parts": {"Intake": 3, "Resize": 1, "Index": 1},
        "least": {
            "Intake": rng.randint(3, 5),
            "Resize": rng.randint(5, 7),
            "Index": rng.randint(4, 6),
            "Publish": rng.randint(6, 8),
        },
        "limit": {
            "Intake": rng.randint(8, 10),
            "Resize": rng.randint(13, 16),
            "Index": rng.randint(10, 13),
            "Publish": rng.randint(15, 20),
        },
        "up": {
            "Intake": rng.randint(60, 110),
            "Resize": rng.randint(150, 290),
            "Index": rng.randint(90, 190),
            "Publish": rng.randint(150, 290),
        },
        "step": {"Intake": 2, "Resize": 3, "Index": 2, "Publish": rng.choice((3, 4))},
        "start": {"Intake": 2, "Resize": 3, "Index": 2, "Publish": rng.choice((2, 4))},
        "cooldown": rng.choice((2, 3)),
        "receives": 3,
        "hidden": rng.choice((2, 3)),
        "nth": rng.choice((17, 19, 23)),
    }
    start, later = rng.randint(9, 16), rng.randint(42, 48)
    world["down"] = ((start, start + rng.randint(7, 12)), (later, later + rng.randint(5, 9)))
    right = _outcome(world)
    if right["dead"] < 150 or right["index_peak"] < 100 or right["resize_peak_minute"] < 5 or right["left"] == 0:
        return None
    diagram = Diagram(name, f"{domain.capitalize()} pipeline")
    diagram.cluster("account", "Workload account")
    diagram.node("source", "Source", "general.Users")
    for stage in STAGES:
        key = stage.lower()
        diagram.node(
            f"{key}-queue", f"{stage} queue", "integration.SQS", "account", f"scales out above {world['up'][stage]}"
        )
        note = (
            f"{world['rate'][stage]} messages per worker and minute; {world['least'][stage]} to {world['limit'][stage]} workers; "
            f"+{world['step'][stage]} at a time; ready after {world['start'][stage]} minutes"
        )
        diagram.node(key, f"{stage} workers", "compute.Fargate", "account", note)
        diagram.edge(f"{key}-queue", key)
    diagram.node("dead", "Dead-letter queue", "integration.SQS", "account")
    diagram.node("partner", "Partner API", "general.InternetAlt1")
    diagram.edge("source", "intake-queue")
    diagram.edge("intake", "resize-queue", "3 messages for each")
    diagram.edge("resize", "index-queue", "1 message for each")
    diagram.edge("index", "publish-queue", "1 message for each")
    diagram.edge("publish", "partner")
    diagram.edge("publish-queue", "dead", f"after {world['receives']} receives")
    loads = "\n".join(
        f"| {SPAN * place + 1} to {SPAN * place + SPAN} | {count} |" for place, count in enumerate(world["arrivals"])
    )
    text = f"""The architecture below shows a {domain} pipeline. Follow it for {MINUTES} minutes, from minute 1, with empty queues and the smallest number of workers of each stage at the start. The source sends this many messages in each minute:

| minutes | messages per minute |
|---|---|
{loads}

The partner API is down in minutes {" and ".join(f"{first} to {last}" for first, last in world["down"])}, first and last included. Each minute goes like this, in this order:

1. Workers that were ordered become ready, if this is their minute (see 5).
2. Messages that are no longer hidden join the end of the Publish queue (see 3). The messages of the source join the Intake queue.
3. All four stages work at once on what is in their queues now. A stage takes as many messages as its ready workers can handle in a minute, or all if there are fewer, from the front of its queue. Intake and Index always succeed. Resize counts the messages that it takes, from the start on, those that it takes again included; every {world["nth"]}th of them fails and goes back to the Resize queue, before what Intake sends on. What a stage sends on joins the end of the next queue at the end of this step, so that it cannot be taken before the next minute. Publish succeeds while the partner API is up. While it is down, each message that Publish takes counts one receive more and is hidden: taken in minute m, it joins the end of the Publish queue in step 2 of minute m + {world["hidden"]}, in the same order. When it has been received {world["receives"]} times, it goes to the dead-letter queue at once instead. A receive that succeeds ends the message.
4. The sizes of the queues are measured, after step 3, hidden messages left out. The peak of a queue is the largest size measured; its minute is the first in which that size was measured. Every ready worker costs one worker-minute, idle or not.
5. Each stage for itself: if its queue is larger than the number in the note ("scales out above"), and ready and ordered workers together are fewer than the largest number, it orders workers: as many as the note says at a time, but never more than the largest number allows. "Ready after 2 minutes" means that workers ordered in minute 7 are ready in step 1 of minute 9. If instead its queue is empty and it has more ready workers than the smallest number, one worker is stopped at once. After an order or a stop in minute m the stage neither orders nor stops anything in the minutes m + 1 to m + {world["cooldown"]}.

The runbook says about these {MINUTES} minutes:

{{lines}}"""
    followed = "Followed minute by minute."
    hidden = ", hidden messages included"
    return Study(
        "resilience",
        domain,
        ["Amazon SQS", "AWS Fargate", "Amazon CloudWatch"],
        diagram,
        text,
        asks(
            followed,
            {
                "early_left": f"the messages in the four queues together after minute {EARLY}{hidden}",
                "early_worker_minutes": f"the worker-minutes of all stages together in minutes 1 to {EARLY}",
                "early_published": f"the messages that Publish has handled with success after minute {EARLY}",
                "index_peak": "the peak of the Index queue",
                "resize_peak": "the peak of the Resize queue",
                "publish_peak": "the peak of the Publish queue",
                "dead": f"the messages in the dead-letter queue after minute {MINUTES}",
                "published": f"the messages that Publish has handled with success after minute {MINUTES}",
                "worker_minutes": "the worker-minutes of all stages together",
            },
        ),
        [
            ("The first message goes to the dead-letter queue in minute {}.", "first_dead"),
            (f"After minute 30, {{}} messages are in the four queues together{hidden}.", "waiting_30"),
            (f"After minute 50, {{}} messages are in the four queues together{hidden}.", "waiting_50"),
            ("{} workers are ordered in all.", "added"),
            ("Publish has at most {} ready workers at any time.", "publish_most"),
            ("Resize has at most {} ready workers at any time.", "resize_most"),
            (
                "Minute {} is the first after which more than 2000 messages are in the four queues together, hidden messages included.",
                "over_2000",
            ),
        ],
        right,
        {
            "lets workers start in the next minute": _outcome(world, "instant"),
            "forgets the pause after an order": _outcome(world, "eager"),
            "overlooks the messages that Resize fails": _outcome(world, "sound"),
        },
    )
