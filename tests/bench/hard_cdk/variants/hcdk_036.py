import aws_cdk as cdk
from aws_cdk import aws_logs as logs

app = cdk.App()
stack = cdk.Stack(app, "Logs")
DAYS = [3653, 545, 30, 14, 3, 180]
NAMES = ["audit", "payments", "web", "search", "debug", "flow"]
for short, days in zip(NAMES, DAYS, strict=True):
    name = f"/shop/{short}"
    group = logs.CfnLogGroup(stack, name.replace("/", ""), log_group_name=name, retention_in_days=days)
    if name not in ("/shop/payments", "/shop/web"):
        group.log_group_class = "INFREQUENT_ACCESS"
    group.apply_removal_policy(cdk.RemovalPolicy.RETAIN if name.endswith("audit") else cdk.RemovalPolicy.DESTROY)
app.synth()
