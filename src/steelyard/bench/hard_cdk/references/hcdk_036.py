import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_

# Function: memory in MB, reserved concurrency. Found by a search over memory sizes with the sum of the concurrency.
SIZES = {
    "quote": (512, 274),
    "price": (3008, 33),
    "stock": (1024, 29),
    "route": (1769, 30),
    "label": (512, 402),
    "match": (3008, 103),
    "score": (1024, 163),
    "merge": (512, 29),
    "split": (1769, 120),
    "audit": (1024, 41),
    "sweep": (1769, 12),
    "relay": (1024, 189),
}

app = cdk.App()
stack = cdk.Stack(app, "Pricing")
for name, (memory, concurrency) in SIZES.items():
    lambda_.Function(
        stack,
        name.capitalize(),
        function_name=name,
        runtime=lambda_.Runtime.PYTHON_3_12,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
        memory_size=memory,
        reserved_concurrent_executions=concurrency,
    )

app.synth()
