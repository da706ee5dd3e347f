import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs

app = cdk.App()
core = cdk.Stack(app, "Core")
queue = sqs.Queue(core, "Queue", retention_period=cdk.Duration.days(7))
topic = sns.Topic(core, "Events")
for value in (queue.queue_url, queue.queue_arn):
    core.export_value(value)

worker = cdk.Stack(app, "Worker")
worker.add_dependency(core)
function = lambda_.Function(
    worker,
    "Function",
    runtime=lambda_.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
    environment={"TOPIC_ARN": topic.topic_arn},
)
function.add_to_role_policy(cdk.aws_iam.PolicyStatement(actions=["sns:Publish"], resources=[topic.topic_arn]))
app.synth()
