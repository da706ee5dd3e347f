import math

import aws_cdk as cdk
from aws_cdk import aws_kinesis as kinesis
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as sources

app = cdk.App()
stack = cdk.Stack(app, "Streams")


def shards(records: int, kilobytes: float, readers: int) -> int:
    written = records * kilobytes / 1000
    return math.ceil(max(records / 1000, written, readers * written / 2))


def stream(name: str, records: int, kilobytes: float, days: int, readers: dict[str, int | None]) -> None:
    count = shards(records, kilobytes, len(readers))
    created = kinesis.Stream(
        stack,
        name.capitalize(),
        stream_name=name,
        stream_mode=kinesis.StreamMode.PROVISIONED,
        shard_count=count,
        retention_period=cdk.Duration.days(days),
    )
    for reader, needed in readers.items():
        factor = 1 if needed is None else math.ceil(needed / count)
        function = lambda_.Function(
            stack,
            reader.capitalize(),
            function_name=reader,
            runtime=lambda_.Runtime.PYTHON_3_12,
            handler="index.handler",
            code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
            reserved_concurrent_executions=None if needed is None else count * factor,
        )
        function.add_event_source(
            sources.KinesisEventSource(
                created,
                batch_size=200,
                starting_position=lambda_.StartingPosition.TRIM_HORIZON,
                bisect_batch_on_error=True,
                parallelization_factor=factor,
            )
        )


stream("clicks", 4300, 0.35, 1, {"sessions": None, "trends": 23, "export": None})
stream("orders", 700, 6, 3, {"billing": 40, "stock": None, "fraud": 20, "archive": None})

app.synth()
