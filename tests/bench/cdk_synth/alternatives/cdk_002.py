"""The newer table construct, which makes a global table with one replica."""

import aws_cdk as cdk
from aws_cdk import aws_dynamodb as ddb

app = cdk.App()
stack = cdk.Stack(app, "Sessions")
ddb.TableV2(
    stack,
    "Table",
    partition_key=ddb.Attribute(name="userId", type=ddb.AttributeType.STRING),
    sort_key=ddb.Attribute(name="startedAt", type=ddb.AttributeType.NUMBER),
    billing=ddb.Billing.on_demand(),
    time_to_live_attribute="expiresAt",
    point_in_time_recovery_specification=ddb.PointInTimeRecoverySpecification(point_in_time_recovery_enabled=True),
    global_secondary_indexes=[
        ddb.GlobalSecondaryIndexPropsV2(
            index_name="by-device",
            partition_key=ddb.Attribute(name="deviceId", type=ddb.AttributeType.STRING),
            projection_type=ddb.ProjectionType.KEYS_ONLY,
        )
    ],
)
app.synth()
