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
    reserved_concurrent_executions=274,
    memory_size=1024,
    runtime=lambda_.Runtime.PYTHON_3_13,
    handler="index.handler",
    timeout=cdk.Duration.seconds(30),
    code=lambda_.Code.from_inline("def handler(event, context): pass"),
)
first = {
    "u": [{"numeric": [">=", 10, "<=", 49]}],
    "v": [{"numeric": [">=", 55, "<=", 90]}],
    "w": [{"numeric": [">=", 40, "<=", 73]}],
    "x": [{"numeric": [">=", 14, "<=", 62]}],
    "y": [{"numeric": [">=", 11, "<=", 60]}],
}
second = {
    "u": [{"numeric": [">=", 16, "<=", 53]}],
    "v": [{"numeric": [">=", 14, "<=", 53]}],
    "w": [{"numeric": [">=", 46, "<=", 82]}],
    "x": [{"numeric": [">=", 13, "<=", 54]}],
    "y": [{"numeric": [">=", 23, "<=", 71]}],
}
third = {
    "u": [{"numeric": [">=", 55, "<=", 94]}],
    "v": [{"numeric": [">=", 54, "<=", 89]}],
    "w": [{"numeric": [">=", 19, "<=", 66]}],
    "x": [{"numeric": [">=", 33, "<=", 86]}],
    "y": [{"numeric": [">=", 59, "<=", 91]}],
}
fourth = {
    "u": [{"numeric": [">=", 42, "<=", 79]}],
    "v": [{"numeric": [">=", 33, "<=", 79]}],
    "w": [{"numeric": [">=", 36, "<=", 82]}],
    "x": [{"numeric": [">=", 16, "<=", 50]}],
    "y": [{"numeric": [">=", 52, "<=", 86]}],
}
function.add_event_source(
    sources.SqsEventSource(
        queue,
        filters=[
            {"pattern": work.to_json_string({"body": first})},
            {"pattern": work.to_json_string({"body": second})},
            {"pattern": work.to_json_string({"body": third})},
            {"pattern": work.to_json_string({"body": fourth})},
        ],
    )
)

app.synth()
