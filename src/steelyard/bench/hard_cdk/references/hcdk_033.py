import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb

app = cdk.App()
stack = cdk.Stack(app, "Tables")


def table(name: str, reads: int, writes: int) -> dynamodb.Table:
    return dynamodb.Table(
        stack,
        name.capitalize(),
        table_name=name,
        partition_key=dynamodb.Attribute(name="id", type=dynamodb.AttributeType.STRING),
        billing_mode=dynamodb.BillingMode.PROVISIONED,
        read_capacity=reads,
        write_capacity=writes,
        deletion_protection=True,
        point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
            point_in_time_recovery_enabled=True
        ),
    )


table("sessions", 300 * 1 // 2, 40 * 3)
carts = table("carts", 60 * 2, 25 * 7)
carts.add_global_secondary_index(
    index_name="by-owner",
    partition_key=dynamodb.Attribute(name="owner", type=dynamodb.AttributeType.STRING),
    read_capacity=90 * 2 // 2,
    write_capacity=25 * 7,
)
table("ledger", 20 * 2 + 12, 50 * 2)

app.synth()
