import aws_cdk as cdk
from aws_cdk import Fn
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_ssm as ssm

MOST = 5

app = cdk.App()
stack = cdk.Stack(app, "Fan")
names = cdk.CfnParameter(stack, "Names", type="CommaDelimitedList", default="a,b,c,d,e")
mode = cdk.CfnParameter(stack, "Mode", default="all", allowed_values=["all", "first", "none"])
limit = cdk.CfnParameter(stack, "Limit", default="5", allowed_values=["1", "2", "3", "4", "5"])

# The list with gaps behind it, so that every place can be selected.
padded = Fn.split(",", Fn.join(",", [Fn.join(",", names.value_as_list), *["-"] * MOST]))
words = [Fn.select(place, padded) for place in range(MOST)]
both, either, negation, equal = Fn.condition_and, Fn.condition_or, Fn.condition_not, Fn.condition_equals


def condition(name: str, *ways: cdk.ICfnConditionExpression) -> cdk.CfnCondition:
    """A condition that holds if one of the ways does."""
    return cdk.CfnCondition(stack, name, expression=either(*ways) if len(ways) > 1 else ways[0])


def chosen(test: cdk.CfnCondition, yes: object, no: object) -> cdk.IResolvable:
    return Fn.condition_if(test.logical_id, yes, no)


never = condition("Never", equal("yes", "no"))
repeated = [
    condition(f"Repeated{place}", equal(word, "-"), *(equal(word, earlier) for earlier in words[:place]))
    for place, word in enumerate(words)
]
# rank[place][count]: exactly `count` different names come before the place.
rank = [[condition("Empty", negation(never))]]
for place, again in enumerate(repeated):
    before = [*rank[-1], never]
    rank.append(
        [
            condition(
                f"Rank{place + 1}Is{count}",
                both(before[count], again),
                both(before[count - 1] if count else never, negation(again)),
            )
            for count in range(place + 2)
        ]
    )
# within[count]: a name with `count` names before it is a member; beyond[limit]: exactly that limit.
within = [
    condition(f"Within{count}", *(equal(limit.value_as_string, str(n)) for n in range(count + 1, MOST + 1)))
    for count in range(MOST)
]
member = [
    condition(
        f"Member{place}",
        *(both(negation(repeated[place]), rank[place][count], within[count]) for count in range(place + 1)),
    )
    for place in range(MOST)
]
silent = condition("Silent", equal(mode.value_as_string, "none"))
filtered = condition("Filtered", equal(mode.value_as_string, "first"))

topic = sns.CfnTopic(stack, "Topic", topic_name="fan")
for place, word in enumerate(words):
    queue = sqs.CfnQueue(stack, f"Queue{place}", queue_name=f"fan-{word}")
    policy = sqs.CfnQueuePolicy(
        stack,
        f"Policy{place}",
        queues=[queue.ref],
        policy_document={
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Principal": {"Service": "sns.amazonaws.com"},
                    "Action": "sqs:SendMessage",
                    "Resource": queue.attr_arn,
                    "Condition": {"ArnEquals": {"aws:SourceArn": topic.ref}},
                }
            ],
        },
    )
    later = condition(f"Later{place}", both(filtered, negation(rank[place][0])))
    subscription = sns.CfnSubscription(
        stack,
        f"Subscription{place}",
        topic_arn=topic.ref,
        protocol="sqs",
        endpoint=queue.attr_arn,
        raw_message_delivery=True,
        filter_policy=chosen(later, {"copy": ["yes"]}, cdk.Aws.NO_VALUE),
    )
    queue.cfn_options.condition = policy.cfn_options.condition = member[place]
    subscription.cfn_options.condition = condition(f"Told{place}", both(member[place], negation(silent)))

listed = Fn.join("+", [chosen(member[place], word, cdk.Aws.NO_VALUE).to_string() for place, word in enumerate(words)])
dropped = "0"
for count in range(2, MOST + 1):
    for most in range(1, count):
        test = condition(f"Dropped{count}Of{most}", both(rank[MOST][count], equal(limit.value_as_string, str(most))))
        dropped = chosen(test, str(count - most), dropped).to_string()
ssm.CfnParameter(
    stack,
    "Members",
    name="/fan/members",
    type="String",
    value=chosen(rank[MOST][0], "nobody", listed).to_string(),
)
ssm.CfnParameter(stack, "Dropped", name="/fan/dropped", type="String", value=dropped)

app.synth()
