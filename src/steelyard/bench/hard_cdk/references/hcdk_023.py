import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as sources
from aws_cdk import aws_sqs as sqs

app = cdk.App()
inbox = cdk.Stack(app, "Parcels")
queue = sqs.Queue(inbox, "Readings", visibility_timeout=cdk.Duration.seconds(180))
work = cdk.Stack(app, "Triage")
function = lambda_.Function(
    work,
    "Special",
    function_name="special",
    runtime=lambda_.Runtime.PYTHON_3_13,
    handler="index.handler",
    timeout=cdk.Duration.seconds(30),
    code=lambda_.Code.from_inline("def handler(event, context): pass"),
)


def ranges(**bounds: tuple[int, int]) -> dict:
    body = {name: [{"numeric": [">=", low, "<=", high]}] for name, (low, high) in bounds.items()}
    return {"body": body}


filters = [
    ranges(kg=(32, 70), cm=(49, 181), days=(5, 49), eur=(138, 706)),
    ranges(kg=(2, 25), cm=(101, 209), days=(17, 47), eur=(84, 512)),
    ranges(kg=(5, 34), cm=(67, 91), days=(5, 41), eur=(132, 486)),
]
function.add_event_source(sources.SqsEventSource(queue, filters=[{"pattern": work.to_json_string(f)} for f in filters]))

app.synth()
