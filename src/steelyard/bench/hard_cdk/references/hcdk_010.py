import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Release")
role = iam.Role(stack, "Role", role_name="releaser", assumed_by=iam.ServicePrincipal("codebuild.amazonaws.com"))


def allow(actions: list[str], *resources: str, conditions: dict[str, dict[str, object]] | None = None) -> None:
    role.add_to_policy(iam.PolicyStatement(actions=actions, resources=list(resources), conditions=conditions))


allow(["codepipeline:PutApprovalResult"], "arn:aws:codepipeline:eu-west-1:111122223333:shop-release/Gate/SignOff")
allow(
    ["codepipeline:RollbackStage", "codepipeline:OverrideStageCondition"],
    "arn:aws:codepipeline:eu-west-1:111122223333:shop-release/Prod",
)
allow(["codepipeline:PollForJobs"], "arn:aws:codepipeline:eu-west-1:111122223333:actiontype:Custom/Deploy/Fleet/1")
allow(["codebuild:BatchGetBuilds"], "arn:aws:codebuild:eu-west-1:111122223333:project/shop-unit")
allow(
    ["codebuild:CreateReport", "codebuild:BatchPutTestCases"],
    "arn:aws:codebuild:eu-west-1:111122223333:report-group/shop-unit-results",
)
allow(["codeartifact:GetAuthorizationToken"], "arn:aws:codeartifact:eu-west-1:111122223333:domain/wares")
allow(
    ["sts:GetServiceBearerToken"],
    "*",
    conditions={"StringEquals": {"sts:AWSServiceName": "codeartifact.amazonaws.com"}},
)
allow(
    ["codeartifact:PublishPackageVersion"],
    "arn:aws:codeartifact:eu-west-1:111122223333:package/wares/stable/maven/org.wares.shop/core",
)
allow(
    ["codeconnections:UseConnection"],
    "arn:aws:codeconnections:eu-west-1:111122223333:connection/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36",
    conditions={"StringEquals": {"codeconnections:FullRepositoryId": "wares/shop"}},
)
allow(["signer:SignPayload"], "arn:aws:signer:eu-west-1:111122223333:/signing-profiles/ShopNotary")
allow(["codedeploy:CreateDeployment"], "arn:aws:codedeploy:eu-west-1:111122223333:deploymentgroup:shop/blue")
allow(
    ["appconfig:StartDeployment"],
    "arn:aws:appconfig:eu-west-1:111122223333:application/sh0p123",
    "arn:aws:appconfig:eu-west-1:111122223333:application/sh0p123/environment/env4567",
    "arn:aws:appconfig:eu-west-1:111122223333:application/sh0p123/configurationprofile/pr0f1le",
    "arn:aws:appconfig:eu-west-1:111122223333:deploymentstrategy/slow890",
)
allow(
    ["appconfig:StartConfigurationSession", "appconfig:GetLatestConfiguration"],
    "arn:aws:appconfig:eu-west-1:111122223333:application/sh0p123/environment/env4567/configuration/pr0f1le",
)
allow(["amplify:StartJob"], "arn:aws:amplify:eu-west-1:111122223333:apps/d1a2b3c4d5/branches/main/jobs/*")
allow(["ecs:RegisterTaskDefinition"], "arn:aws:ecs:eu-west-1:111122223333:task-definition/shop:*")
allow(
    ["elasticbeanstalk:CreateApplicationVersion"],
    "arn:aws:elasticbeanstalk:eu-west-1:111122223333:application/shop",
    "arn:aws:elasticbeanstalk:eu-west-1:111122223333:applicationversion/shop/next",
)
allow(
    ["cloudformation:ExecuteChangeSet"],
    "arn:aws:cloudformation:eu-west-1:111122223333:stack/shop/*",
    conditions={"StringEquals": {"cloudformation:ChangeSetName": "go-live"}},
)
allow(["lambda:UpdateAlias"], "arn:aws:lambda:eu-west-1:111122223333:function:shop-api")
allow(
    ["lambda:UpdateEventSourceMapping"],
    "arn:aws:lambda:eu-west-1:111122223333:event-source-mapping:7a1b9c3d-2e4f-4a6b-8c0d-1e2f3a4b5c6d",
    conditions={"StringEquals": {"lambda:FunctionArn": "arn:aws:lambda:eu-west-1:111122223333:function:shop-api"}},
)
allow(["servicecatalog:ProvisionProduct"], "arn:aws:catalog:eu-west-1:111122223333:product/prod-abcdzk7xy33qa")
allow(
    ["servicecatalog:AssociateResource"],
    "arn:aws:servicecatalog:eu-west-1:111122223333:/applications/0a1b2c3d4e5f6g7h8i9j0k1l2m",
)
allow(["lambda:AddLayerVersionPermission"], "arn:aws:lambda:eu-west-1:111122223333:layer:shop-base:7")
allow(
    ["lambda:PutFunctionCodeSigningConfig"],
    "arn:aws:lambda:eu-west-1:111122223333:function:shop-api",
    "arn:aws:lambda:eu-west-1:111122223333:code-signing-config:csc-0a1b2c3d4e5f67890",
)
allow(["codepipeline:AcknowledgeJob", "codepipeline:PutJobSuccessResult"], "*")
allow(["codecommit:UpdateApprovalRuleTemplateContent"], "*")
allow(["ecr:UpdatePullThroughCacheRule"], "*")
allow(["ecs:DeregisterTaskDefinition"], "*")
allow(["codedeploy:ContinueDeployment", "codedeploy:PutLifecycleEventHookExecutionStatus"], "*")
allow(
    ["servicecatalog:TerminateProvisionedProduct"],
    "*",
    conditions={"StringEquals": {"servicecatalog:userLevel": "self"}},
)

app.synth()
