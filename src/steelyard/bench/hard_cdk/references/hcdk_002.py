import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as sources
from aws_cdk import aws_sqs as sqs

app = cdk.App()
inbox = cdk.Stack(app, "Inbox")
queue = sqs.Queue(inbox, "Readings", visibility_timeout=cdk.Duration.seconds(180))
work = cdk.Stack(app, "Work")
function = lambda_.Function(
    work,
    "Alarm",
    function_name="alarm",
    runtime=lambda_.Runtime.PYTHON_3_13,
    handler="index.handler",
    timeout=cdk.Duration.seconds(30),
    code=lambda_.Code.from_inline("def handler(event, context): pass"),
)


def ranges(**bounds: tuple[int, int]) -> dict:
    body = {name: [{"numeric": [">=", low, "<=", high]}] for name, (low, high) in bounds.items()}
    return {"body": body}


filters = [
    ranges(t=(4, 37), p=(911, 998), h=(7, 53)),
    ranges(t=(12, 23), p=(963, 1055), h=(25, 69)),
]
function.add_event_source(sources.SqsEventSource(queue, filters=[{"pattern": work.to_json_string(f)} for f in filters]))

app.synth()
