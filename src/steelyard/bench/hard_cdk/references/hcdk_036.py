import aws_cdk as cdk
from aws_cdk import aws_logs as logs

# Group → (days, has metric filters).
GROUPS = {
    "/shop/audit": (3653, False),
    "/shop/payments": (545, True),
    "/shop/web": (30, True),
    "/shop/search": (14, False),
    "/shop/debug": (3, False),
    "/shop/flow": (180, False),
}

app = cdk.App()
stack = cdk.Stack(app, "Logs")
for name, (days, filtered) in GROUPS.items():
    logs.LogGroup(
        stack,
        name.rsplit("/", 1)[-1].capitalize(),
        log_group_name=name,
        retention=logs.RetentionDays[
            {
                3653: "TEN_YEARS",
                545: "EIGHTEEN_MONTHS",
                400: "THIRTEEN_MONTHS",
                180: "SIX_MONTHS",
                150: "FIVE_MONTHS",
                120: "FOUR_MONTHS",
                90: "THREE_MONTHS",
                60: "TWO_MONTHS",
                30: "ONE_MONTH",
                14: "TWO_WEEKS",
                7: "ONE_WEEK",
                5: "FIVE_DAYS",
                3: "THREE_DAYS",
                1: "ONE_DAY",
            }[days]
        ],
        log_group_class=logs.LogGroupClass.STANDARD if filtered else logs.LogGroupClass.INFREQUENT_ACCESS,
        removal_policy=cdk.RemovalPolicy.RETAIN if name == "/shop/audit" else cdk.RemovalPolicy.DESTROY,
    )

app.synth()
