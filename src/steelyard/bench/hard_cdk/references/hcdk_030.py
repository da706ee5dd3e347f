import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs

app = cdk.App()
core = cdk.Stack(app, "Core")
queue = sqs.Queue(core, "Queue", retention_period=cdk.Duration.days(7))
topic = sns.Topic(core, "Topic")
# The deployed Worker still imports both until its own update; drop these two lines afterwards.
core.export_value(queue.queue_arn)
core.export_value(queue.queue_url)

worker = cdk.Stack(app, "Worker")
function = lambda_.Function(
    worker,
    "Function",
    runtime=lambda_.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
    environment={"TOPIC_ARN": topic.topic_arn},
)
topic.grant_publish(function)

app.synth()
