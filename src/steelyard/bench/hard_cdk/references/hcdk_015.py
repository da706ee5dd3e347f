import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Night")
limit = iam.ManagedPolicy(
    stack,
    "Limit",
    managed_policy_name="night-limit",
    statements=[
        iam.PolicyStatement(not_actions=["iam:*"], resources=["*"]),
        iam.PolicyStatement(actions=["iam:PassRole"], resources=["*"]),
    ],
)
role = iam.Role(
    stack,
    "Role",
    role_name="night-shift",
    assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
    permissions_boundary=limit,
)


def allow(actions: list[str], *resources: str, conditions: dict[str, dict[str, object]] | None = None) -> None:
    role.add_to_policy(iam.PolicyStatement(actions=actions, resources=list(resources), conditions=conditions))


allow(
    ["ec2:RunInstances"],
    "arn:aws:ec2:eu-west-1::image/ami-0a1b2c3d4e5f67890",
    "arn:aws:ec2:eu-west-1:111122223333:subnet/subnet-0a1b2c3d",
    "arn:aws:ec2:eu-west-1:111122223333:security-group/sg-0a1b2c3d",
    "arn:aws:ec2:eu-west-1:111122223333:key-pair/night",
    "arn:aws:ec2:eu-west-1:111122223333:volume/*",
    "arn:aws:ec2:eu-west-1:111122223333:network-interface/*",
)
allow(
    ["ec2:RunInstances"],
    "arn:aws:ec2:eu-west-1:111122223333:instance/*",
    conditions={"StringEquals": {"ec2:InstanceType": "t3.micro"}},
)
allow(
    ["ec2:CreateTags"],
    "arn:aws:ec2:eu-west-1:111122223333:instance/*",
    conditions={"StringEquals": {"ec2:CreateAction": "RunInstances"}},
)
allow(
    ["iam:PassRole"],
    "arn:aws:iam::111122223333:role/night-node",
    conditions={"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}},
)
allow(
    ["ec2:CreateSnapshot"],
    "arn:aws:ec2:eu-west-1:111122223333:volume/vol-0a1b2c3d",
    "arn:aws:ec2:eu-west-1::snapshot/*",
)
allow(["ebs:ListSnapshotBlocks", "ebs:GetSnapshotBlock"], "arn:aws:ec2:eu-west-1::snapshot/snap-0a1b2c3d")
allow(["ec2:RestoreSnapshotFromRecycleBin"], "arn:aws:ec2:eu-west-1::snapshot/snap-0e1f2a3b")
allow(
    ["ec2-instance-connect:SendSSHPublicKey"],
    "arn:aws:ec2:eu-west-1:111122223333:instance/i-0a1b2c3d4e5f67890",
    conditions={"StringEquals": {"ec2:osuser": "ops"}},
)
allow(
    ["ec2-instance-connect:OpenTunnel"],
    "arn:aws:ec2:eu-west-1:111122223333:instance-connect-endpoint/eice-0a1b2c3d4e5f67890",
    conditions={"NumericEquals": {"ec2-instance-connect:remotePort": "22"}},
)
allow(
    ["ssm:SendCommand"],
    "arn:aws:ssm:eu-west-1:111122223333:document/NightFix",
    "arn:aws:ec2:eu-west-1:111122223333:instance/i-0a1b2c3d4e5f67890",
)
allow(["ssm:LabelParameterVersion"], "arn:aws:ssm:eu-west-1:111122223333:parameter/night/limit")
allow(
    ["autoscaling:SetDesiredCapacity"],
    "arn:aws:autoscaling:eu-west-1:111122223333:autoScalingGroup:*:autoScalingGroupName/fleet",
)
allow(
    ["ecs:RunTask"],
    "arn:aws:ecs:eu-west-1:111122223333:task-definition/nightly:*",
    conditions={"ArnEquals": {"ecs:cluster": "arn:aws:ecs:eu-west-1:111122223333:cluster/night"}},
)
allow(
    ["iam:PassRole"],
    "arn:aws:iam::111122223333:role/nightly-task",
    conditions={"StringEquals": {"iam:PassedToService": "ecs-tasks.amazonaws.com"}},
)
allow(
    ["ecs:ExecuteCommand"],
    "arn:aws:ecs:eu-west-1:111122223333:cluster/night",
    "arn:aws:ecs:eu-west-1:111122223333:task/night/*",
    conditions={"StringEquals": {"ecs:container-name": "app"}},
)
allow(
    ["states:GetExecutionHistory", "states:RedriveExecution"],
    "arn:aws:states:eu-west-1:111122223333:execution:close-books:*",
)
allow(["states:UpdateMapRun"], "arn:aws:states:eu-west-1:111122223333:mapRun:close-books/*")
allow(["scheduler:UpdateSchedule"], "arn:aws:scheduler:eu-west-1:111122223333:schedule/night/close")
allow(
    ["iam:PassRole"],
    "arn:aws:iam::111122223333:role/clock",
    conditions={"StringEquals": {"iam:PassedToService": "scheduler.amazonaws.com"}},
)
allow(["pipes:StartPipe", "pipes:StopPipe"], "arn:aws:pipes:eu-west-1:111122223333:pipe/orders")
allow(["events:DisableRule"], "arn:aws:events:eu-west-1:111122223333:rule/shop/nightly")
allow(["cloudwatch:PutDashboard"], "arn:aws:cloudwatch::111122223333:dashboard/night")
allow(["cloudwatch:SetAlarmState"], "arn:aws:cloudwatch:eu-west-1:111122223333:alarm:disk-full")
allow(["cloudwatch:EnableInsightRules"], "arn:aws:cloudwatch:eu-west-1:111122223333:insight-rule/talkers")
allow(["logs:GetLogEvents"], "arn:aws:logs:eu-west-1:111122223333:log-group:/night/jobs:log-stream:*")
allow(["synthetics:StartCanary"], "arn:aws:synthetics:eu-west-1:111122223333:canary:checkout")
allow(["xray:UpdateSamplingRule"], "arn:aws:xray:eu-west-1:111122223333:sampling-rule/night")
allow(["aps:RemoteWrite"], "arn:aws:aps:eu-west-1:111122223333:workspace/ws-0a1b2c3d")
allow(
    ["fis:StartExperiment"],
    "arn:aws:fis:eu-west-1:111122223333:experiment-template/EXT1a2b3c4d5e6f7",
    "arn:aws:fis:eu-west-1:111122223333:experiment/*",
)
allow(["fis:StopExperiment"], "arn:aws:fis:eu-west-1:111122223333:experiment/*")
allow(["backup:StartBackupJob"], "arn:aws:backup:eu-west-1:111122223333:backup-vault:night")
allow(
    ["iam:PassRole"],
    "arn:aws:iam::111122223333:role/keeper",
    conditions={"StringEquals": {"iam:PassedToService": "backup.amazonaws.com"}},
)
allow(["ssm:CancelCommand", "ssm:GetCommandInvocation"], "*")
allow(["ecs:DeregisterTaskDefinition"], "*")
allow(["states:SendTaskSuccess"], "*")
allow(["cloudwatch:PutMetricData"], "*", conditions={"StringEquals": {"cloudwatch:namespace": "Night"}})
allow(["cloudwatch:DeleteAnomalyDetector"], "*")
allow(["backup:StopBackupJob"], "*")
allow(["cloudwatch:PutAlarmMuteRule"], "arn:aws:cloudwatch:eu-west-1:111122223333:alarm-mute-rule:quiet")
allow(["logs:StopQuery", "logs:PutIndexPolicy"], "*")
allow(["xray:UpdateIndexingRule"], "*")
allow(["appstream:ExpireSession"], "*")
allow(["workspaces:TerminateWorkspacesPoolSession"], "*")
allow(["gamelift:TerminateGameSession"], "*")
allow(["lightsail:GetInstance", "lightsail:EnableAddOn"], "*")

app.synth()
