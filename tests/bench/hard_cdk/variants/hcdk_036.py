import aws_cdk as cdk
from aws_cdk import aws_logs as logs

app = cdk.App()
stack = cdk.Stack(app, "Logs")
for name, days in {'/shop/audit': 3653, '/shop/payments': 545, '/shop/web': 30, '/shop/search': 14, '/shop/debug': 3, '/shop/flow': 180}.items():
    group = logs.CfnLogGroup(stack, name.replace("/", ""), log_group_name=name, retention_in_days=days)
    if name not in ("/shop/payments", "/shop/web"):
        group.log_group_class = "INFREQUENT_ACCESS"
    group.apply_removal_policy(
        cdk.RemovalPolicy.RETAIN if name.endswith("audit") else cdk.RemovalPolicy.DESTROY
    )
app.synth()
