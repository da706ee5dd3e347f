import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb

app = cdk.App()
stack = cdk.Stack(app, "Tables")
P = dynamodb.CfnTable
for name, r, w in (("sessions", 150, 120), ("carts", 120, 175), ("ledger", 52, 100)):
    indexed = name == "carts"
    names = ["id", "owner"] if indexed else ["id"]
    P(
        stack,
        name,
        table_name=name,
        key_schema=[P.KeySchemaProperty(attribute_name="id", key_type="HASH")],
        attribute_definitions=[P.AttributeDefinitionProperty(attribute_name=n, attribute_type="S") for n in names],
        provisioned_throughput=P.ProvisionedThroughputProperty(read_capacity_units=r, write_capacity_units=w),
        deletion_protection_enabled=True,
        point_in_time_recovery_specification=P.PointInTimeRecoverySpecificationProperty(
            point_in_time_recovery_enabled=True
        ),
        global_secondary_indexes=[
            P.GlobalSecondaryIndexProperty(
                index_name="by-owner",
                key_schema=[P.KeySchemaProperty(attribute_name="owner", key_type="HASH")],
                projection=P.ProjectionProperty(projection_type="ALL"),
                provisioned_throughput=P.ProvisionedThroughputProperty(
                    read_capacity_units=90, write_capacity_units=175
                ),
            )
        ]
        if indexed
        else None,
    )
app.synth()
