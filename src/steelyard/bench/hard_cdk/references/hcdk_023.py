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
first = {
    "kg": [{"numeric": [">=", 8, "<=", 40]}],
    "cm": [{"numeric": [">=", 108, "<=", 177]}],
    "days": [{"numeric": [">=", 26, "<=", 46]}],
    "eur": [{"numeric": [">=", 294, "<=", 534]}],
    "km": [{"numeric": [">=", 113, "<=", 601]}],
}
second = {
    "kg": [{"numeric": [">=", 24, "<=", 66]}],
    "cm": [{"numeric": [">=", 43, "<=", 170]}],
    "days": [{"numeric": [">=", 23, "<=", 40]}],
    "eur": [{"numeric": [">=", 143, "<=", 539]}],
    "km": [{"numeric": [">=", 446, "<=", 768]}],
}
third = {
    "kg": [{"numeric": [">=", 22, "<=", 55]}],
    "cm": [{"numeric": [">=", 81, "<=", 214]}],
    "days": [{"numeric": [">=", 6, "<=", 32]}],
    "eur": [{"numeric": [">=", 294, "<=", 698]}],
    "km": [{"numeric": [">=", 141, "<=", 709]}],
}
fourth = {
    "kg": [{"numeric": [">=", 17, "<=", 56]}],
    "cm": [{"numeric": [">=", 96, "<=", 185]}],
    "days": [{"numeric": [">=", 17, "<=", 37]}],
    "eur": [{"numeric": [">=", 197, "<=", 607]}],
    "km": [{"numeric": [">=", 86, "<=", 579]}],
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
