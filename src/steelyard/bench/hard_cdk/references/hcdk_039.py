import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as sources
from aws_cdk import aws_sqs as sqs

app = cdk.App()
inbox = cdk.Stack(app, "Feed")
queue = sqs.Queue(inbox, "Samples", visibility_timeout=cdk.Duration.seconds(180))
work = cdk.Stack(app, "Probe")
function = lambda_.Function(
    work,
    "Handler",
    function_name="probe",
    reserved_concurrent_executions=259,
    memory_size=1024,
    runtime=lambda_.Runtime.PYTHON_3_13,
    handler="index.handler",
    timeout=cdk.Duration.seconds(30),
    code=lambda_.Code.from_inline("def handler(event, context): pass"),
)


def ranges(**bounds: tuple[int, int]) -> dict:
    body = {name: [{"numeric": [">=", low, "<=", high]}] for name, (low, high) in bounds.items()}
    return {"body": body}


filters = [
    ranges(u=(7, 64), v=(33, 89), x=(15, 80), y=(16, 54)),
    ranges(u=(36, 93), v=(26, 88), x=(47, 90), y=(25, 87)),
    ranges(u=(30, 69), v=(22, 76), x=(8, 30), y=(44, 93)),
]
function.add_event_source(sources.SqsEventSource(queue, filters=[{"pattern": work.to_json_string(f)} for f in filters]))

app.synth()
