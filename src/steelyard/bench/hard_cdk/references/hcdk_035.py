import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb

# Table: provisioned read and write units, or None for on demand.
CAPACITY = {
    "carts": (618, 1110),
    "clicks": None,
    "devices": (809, 3080),
    "events": None,
    "grants": None,
    "hints": None,
    "invoices": None,
    "jobs": (4832, 1110),
    "leads": (378, 2033),
    "moods": None,
    "notes": None,
    "orders": (6784, 2238),
}

app = cdk.App()
stack = cdk.Stack(app, "Store")
for name, units in CAPACITY.items():
    throughput = (
        {"billing_mode": dynamodb.BillingMode.PAY_PER_REQUEST}
        if units is None
        else {
            "billing_mode": dynamodb.BillingMode.PROVISIONED,
            "read_capacity": units[0],
            "write_capacity": units[1],
        }
    )
    dynamodb.Table(
        stack,
        name.capitalize(),
        table_name=name,
        partition_key=dynamodb.Attribute(name="id", type=dynamodb.AttributeType.STRING),
        **throughput,
    )

app.synth()
