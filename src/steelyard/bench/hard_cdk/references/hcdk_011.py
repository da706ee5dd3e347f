import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Floor")
role = iam.Role(stack, "Role", role_name="floor-bridge", assumed_by=iam.ServicePrincipal("ecs-tasks.amazonaws.com"))


def allow(actions: list[str], *resources: str, conditions: dict[str, dict[str, object]] | None = None) -> None:
    role.add_to_policy(iam.PolicyStatement(actions=actions, resources=list(resources), conditions=conditions))


allow(["iot:Connect"], "arn:aws:iot:eu-west-1:111122223333:client/bridge-7")
allow(["iot:Subscribe"], "arn:aws:iot:eu-west-1:111122223333:topicfilter/plant/+/alarm")
allow(["iot:Receive"], "arn:aws:iot:eu-west-1:111122223333:topic/plant/*/alarm")
allow(["iot:Publish", "iot:RetainPublish"], "arn:aws:iot:eu-west-1:111122223333:topic/plant/bridge-7/state")
allow(["iot:GetRetainedMessage"], "arn:aws:iot:eu-west-1:111122223333:topic/plant/limits")
allow(
    ["iot:GetThingShadow", "iot:UpdateThingShadow", "iot:ListNamedShadowsForThing"],
    "arn:aws:iot:eu-west-1:111122223333:thing/press-1",
)
allow(
    ["iotjobsdata:StartNextPendingJobExecution", "iotjobsdata:UpdateJobExecution"],
    "arn:aws:iot:eu-west-1:111122223333:thing/press-1",
)
allow(
    ["iot:AddThingToThingGroup"],
    "arn:aws:iot:eu-west-1:111122223333:thing/press-1",
    "arn:aws:iot:eu-west-1:111122223333:thinggroup/quarantine",
)
allow(["iot:SearchIndex"], "arn:aws:iot:eu-west-1:111122223333:index/AWS_Things")
allow(["iot:OpenTunnel"], "*", conditions={"ForAllValues:StringEquals": {"iot:TunnelDestinationService": "SSH"}})
allow(
    ["iotsitewise:BatchPutAssetPropertyValue", "iotsitewise:GetAssetPropertyAggregates"],
    "arn:aws:iotsitewise:eu-west-1:111122223333:asset/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36",
)
allow(
    ["iottwinmaker:GetEntity"],
    "arn:aws:iottwinmaker:eu-west-1:111122223333:workspace/hall",
    "arn:aws:iottwinmaker:eu-west-1:111122223333:workspace/hall/entity/7a1b9c3d-2e4f-4a6b-8c0d-1e2f3a4b5c6d",
)
allow(
    ["greengrass:GetComponent"], "arn:aws:greengrass:eu-west-1:111122223333:components:com.plant.Filter:versions:1.4.2"
)
allow(["greengrass:GetCoreDevice"], "arn:aws:greengrass:eu-west-1:111122223333:coreDevices:gw-1")
allow(
    ["iotwireless:SendDataToWirelessDevice"],
    "arn:aws:iotwireless:eu-west-1:111122223333:WirelessDevice/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36",
)
allow(
    ["kinesisvideo:GetDataEndpoint", "kinesisvideo:GetMedia"],
    "arn:aws:kinesisvideo:eu-west-1:111122223333:stream/cam-1/*",
)
allow(["kinesisvideo:ConnectAsViewer"], "arn:aws:kinesisvideo:eu-west-1:111122223333:channel/gate/*")
allow(["kinesis:SubscribeToShard"], "arn:aws:kinesis:eu-west-1:111122223333:stream/readings/consumer/bridge:*")
allow(
    ["kinesisanalytics:StartApplication", "kinesisanalytics:CreateApplicationSnapshot"],
    "arn:aws:kinesisanalytics:eu-west-1:111122223333:application/smoothing",
)
allow(["timestream:WriteRecords"], "arn:aws:timestream:eu-west-1:111122223333:database/plant/table/pressure")
allow(["timestream:DescribeEndpoints"], "*")
allow(
    ["geo:BatchUpdateDevicePosition"],
    "arn:aws:geo:eu-west-1:111122223333:tracker/forklifts",
    conditions={"ForAllValues:StringEquals": {"geo:DeviceIds": ["fork-9"]}},
)
allow(["geo-routes:CalculateRoutes"], "arn:aws:geo-routes:eu-west-1::provider/default")
allow(
    ["iot:CancelJobExecution"],
    "arn:aws:iot:eu-west-1:111122223333:job/swap-belt",
    "arn:aws:iot:eu-west-1:111122223333:thing/press-1",
)
allow(["iot:RotateTunnelAccessToken"], "arn:aws:iot:eu-west-1:111122223333:tunnel/7f3e2d1c")
allow(
    ["iotsitewise:AssociateTimeSeriesToAssetProperty"],
    "arn:aws:iotsitewise:eu-west-1:111122223333:asset/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36",
    "arn:aws:iotsitewise:eu-west-1:111122223333:time-series/7a1b9c3d-2e4f-4a6b-8c0d-1e2f3a4b5c6d",
)
allow(
    ["iotwireless:AssociateWirelessDeviceWithFuotaTask"],
    "arn:aws:iotwireless:eu-west-1:111122223333:WirelessDevice/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36",
    "arn:aws:iotwireless:eu-west-1:111122223333:FuotaTask/7a1b9c3d-2e4f-4a6b-8c0d-1e2f3a4b5c6d",
)
allow(["iot:SetV2LoggingLevel"], "*")
allow(["iot:StartOnDemandAuditTask"], "*")
allow(["iotsitewise:ExecuteQuery"], "*")
allow(["iotwireless:DeleteQueuedMessages"], "*")
allow(["timestream:ResumeBatchLoadTask"], "*")

app.synth()
