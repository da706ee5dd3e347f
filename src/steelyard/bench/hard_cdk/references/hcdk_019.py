import aws_cdk as cdk
from aws_cdk import Fn
from aws_cdk import aws_events as events
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_ssm as ssm

WEEK = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
MINUTES = {"west": -300, "utc": 0, "east": 120, "half": 330}
OFFSETS = {"west": "-05:00", "east": "+02:00", "half": "+05:30"}

app = cdk.App()
stack = cdk.Stack(app, "Wake")
start = cdk.CfnParameter(stack, "Start", default="08:00")
days = cdk.CfnParameter(stack, "Days", type="CommaDelimitedList", default="MON")
offset = cdk.CfnParameter(stack, "Offset", default="+00:00")
paused = cdk.CfnParameter(stack, "Paused", default="no")

hour = Fn.select(0, Fn.split(":", start.value_as_string))
minute = Fn.select(1, Fn.split(":", start.value_as_string))


def named(name: str, expression: cdk.ICfnConditionExpression) -> cdk.CfnCondition:
    return cdk.CfnCondition(stack, name, expression=expression)


def condition(name: str, left: str, right: str) -> cdk.CfnCondition:
    return named(name, Fn.condition_equals(left, right))


def chosen(test: cdk.CfnCondition, yes: str, no: str) -> str:
    return Fn.condition_if(test.logical_id, yes, no).to_string()


zone_is = {name: condition(f"Is{name}", offset.value_as_string, text) for name, text in OFFSETS.items()}


def looked_up(tests: dict[str, cdk.CfnCondition], values: dict[str, str]) -> str:
    """The value of the one key whose condition holds."""
    (_, text), *others = values.items()
    for key, value in others:
        text = chosen(tests[key], value, text)
    return text


hour_is = {f"{n:02}": condition(f"Hour{n}", hour, f"{n:02}") for n in range(24)}
minute_is = {f"{n:02}": condition(f"Minute{n}", minute, f"{n:02}") for n in range(0, 60, 5)}


def some(tests: dict[str, cdk.CfnCondition], numbers: range) -> cdk.ICfnConditionExpression:
    return Fn.condition_or(*(tests[f"{number:02}"] for number in numbers))


early = named("Early", some(minute_is, range(0, 30, 5)))
# The days on which UTC is a day behind or a day ahead.
before_half = Fn.condition_or(some(hour_is, range(5)), Fn.condition_and(hour_is["05"], early))
before = named(
    "Before",
    Fn.condition_or(
        Fn.condition_and(zone_is["east"], some(hour_is, range(2))),
        Fn.condition_and(zone_is["half"], before_half),
    ),
)
after = named("After", Fn.condition_and(zone_is["west"], some(hour_is, range(19, 24))))


def in_utc(name: str) -> str:
    """The hour in UTC for one zone."""
    hours = {
        minutes: looked_up(
            hour_is, {key: str((int(key) * 60 + minutes - MINUTES[name]) // 60 % 24) for key in hour_is}
        )
        for minutes in (0, 30)
    }
    return chosen(early, hours[0], hours[30])


def in_zone(values: dict[str, str]) -> str:
    text = values["utc"]
    for name in OFFSETS:
        text = chosen(zone_is[name], values[name], text)
    return text


utc_hour = in_zone({name: in_utc(name) for name in MINUTES})
utc_minute = in_zone(
    {
        name: looked_up(minute_is, {key: str((int(key) - shift) % 60) for key in minute_is})
        for name, shift in MINUTES.items()
    }
)


def utc_day(place: int) -> str:
    behind, same, ahead = (
        looked_up(day_is[place], {day: WEEK[(number + by) % 7] for number, day in enumerate(WEEK)})
        for by in (-1, 0, 1)
    )
    return chosen(before, behind, chosen(after, ahead, same))


# The list with gaps behind it, so that every place can be selected.
padded = Fn.split(",", Fn.join(",", [Fn.join(",", days.value_as_list), *["-"] * 7]))
names = [Fn.select(place, padded) for place in range(7)]
gaps = [condition(f"Gap{place}", name, "-") for place, name in enumerate(names)]
count = "7"
for place in reversed(range(1, 7)):
    count = chosen(gaps[place], str(place), count)
day_is = [
    {day: condition(f"Day{place}Is{day}", name, day) for day in WEEK} for place, name in enumerate(names)
]
moved = [chosen(gaps[place], cdk.Aws.NO_VALUE, utc_day(place)) for place in range(7)]

queue = sqs.CfnQueue(stack, "Queue")
events.CfnRule(
    stack,
    "Rule",
    name="wake",
    schedule_expression=f"cron({utc_minute} {utc_hour} ? * {Fn.join(',', moved)} *)",
    state=chosen(condition("Pause", paused.value_as_string, "yes"), "DISABLED", "ENABLED"),
    targets=[events.CfnRule.TargetProperty(id="queue", arn=queue.attr_arn)],
)
sqs.CfnQueuePolicy(
    stack,
    "Policy",
    queues=[queue.ref],
    policy_document={
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "events.amazonaws.com"},
                "Action": "sqs:SendMessage",
                "Resource": queue.attr_arn,
            }
        ],
    },
)
local_hour = looked_up(hour_is, {key: str(int(key)) for key in hour_is})
facts = {"first": names[0], "days": count, "local": f"{local_hour}:{minute}"}
for name, value in facts.items():
    ssm.CfnParameter(stack, f"{name}Fact", name=f"/wake/{name}", type="String", value=value)

app.synth()
