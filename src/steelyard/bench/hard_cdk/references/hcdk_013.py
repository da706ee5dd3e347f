import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Concierge")
role = iam.Role(stack, "Role", role_name="concierge", assumed_by=iam.ServicePrincipal("ecs-tasks.amazonaws.com"))


def allow(actions: list[str], *resources: str, conditions: dict[str, dict[str, object]] | None = None) -> None:
    role.add_to_policy(iam.PolicyStatement(actions=actions, resources=list(resources), conditions=conditions))


allow(["lex:RecognizeText", "lex:UpdateBotAlias"], "arn:aws:lex:eu-west-1:111122223333:bot-alias/B0TABC1234/AL1ASXYZ78")
allow(
    ["connect:PutUserStatus"],
    "arn:aws:connect:eu-west-1:111122223333:instance/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36",
    "arn:aws:connect:eu-west-1:111122223333:instance/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36/agent/2b6e1f0a-9c3d-4f7e-8a15-6d0c9b8e7f21",
    "arn:aws:connect:eu-west-1:111122223333:instance/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36/agent-state/7a1b9c3d-2e4f-4a6b-8c0d-1e2f3a4b5c6d",
)
allow(
    ["connect:UpdateUserRoutingProfile"],
    "arn:aws:connect:eu-west-1:111122223333:instance/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36/agent/2b6e1f0a-9c3d-4f7e-8a15-6d0c9b8e7f21",
    "arn:aws:connect:eu-west-1:111122223333:instance/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36/routing-profile/7a1b9c3d-2e4f-4a6b-8c0d-1e2f3a4b5c6d",
)
allow(
    ["bedrock:InvokeModelWithResponseStream"],
    "arn:aws:bedrock:eu-west-1:111122223333:inference-profile/eu.amazon.nova-lite-v1:0",
)
allow(
    ["bedrock:InvokeModelWithResponseStream"],
    "arn:aws:bedrock:eu-west-1::foundation-model/amazon.nova-lite-v1:0",
    "arn:aws:bedrock:eu-central-1::foundation-model/amazon.nova-lite-v1:0",
    "arn:aws:bedrock:eu-west-3::foundation-model/amazon.nova-lite-v1:0",
    conditions={
        "StringEquals": {
            "bedrock:InferenceProfileArn": "arn:aws:bedrock:eu-west-1:111122223333:inference-profile/eu.amazon.nova-lite-v1:0"
        }
    },
)
allow(
    ["ses:SendEmail"],
    "arn:aws:ses:eu-west-1:111122223333:identity/hotel.example",
    "arn:aws:ses:eu-west-1:111122223333:configuration-set/plain",
    conditions={"StringEquals": {"ses:FromAddress": "desk@hotel.example"}},
)
allow(
    ["workmailmessageflow:GetRawMessageContent"],
    "arn:aws:workmailmessageflow:eu-west-1:111122223333:message/m-1a2b3c/incoming/*",
)
allow(["appsync:EventConnect"], "arn:aws:appsync:eu-west-1:111122223333:apis/evt7hijklmn")
allow(["appsync:EventPublish"], "arn:aws:appsync:eu-west-1:111122223333:apis/evt7hijklmn/channelNamespace/kitchen")
allow(
    ["verifiedpermissions:IsAuthorized"],
    "arn:aws:verifiedpermissions::111122223333:policy-store/PSabcdefg1234567890abc",
)
allow(
    ["profile:PutProfileObject"],
    "arn:aws:profile:eu-west-1:111122223333:domains/guests",
    "arn:aws:profile:eu-west-1:111122223333:domains/guests/object-types/Stay",
)
allow(
    ["connect:AssociateContactWithUser"],
    "arn:aws:connect:eu-west-1:111122223333:instance/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36/agent/2b6e1f0a-9c3d-4f7e-8a15-6d0c9b8e7f21",
    "arn:aws:connect:eu-west-1:111122223333:instance/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36/contact/*",
)
allow(["wisdom:SendMessage"], "arn:aws:wisdom:eu-west-1:111122223333:session/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36/*")
allow(["bedrock:PutInvocationStep"], "arn:aws:bedrock:eu-west-1:111122223333:session/*")
allow(["bedrock:GetDataAutomationStatus"], "arn:aws:bedrock:eu-west-1:111122223333:data-automation-invocation/*")
allow(
    ["bedrock-agentcore:InvokeAgentRuntime", "bedrock-agentcore:InvokeAgentRuntimeForUser"],
    "arn:aws:bedrock-agentcore:eu-west-1:111122223333:runtime/concierge-a1B2c3D4e5",
    "arn:aws:bedrock-agentcore:eu-west-1:111122223333:runtime/concierge-a1B2c3D4e5/runtime-endpoint/PROD",
)
allow(
    ["bedrock-agentcore:CreateEvent"],
    "arn:aws:bedrock-agentcore:eu-west-1:111122223333:memory/guests-f6G7h8I9j0",
    conditions={"StringEquals": {"bedrock-agentcore:actorId": "desk"}},
)
allow(
    ["bedrock-agentcore:RetrieveMemoryRecords"],
    "arn:aws:bedrock-agentcore:eu-west-1:111122223333:memory/guests-f6G7h8I9j0",
    conditions={"StringEquals": {"bedrock-agentcore:namespace": "/stays"}},
)
allow(
    ["bedrock-agentcore:StartCodeInterpreterSession", "bedrock-agentcore:InvokeCodeInterpreter"],
    "arn:aws:bedrock-agentcore:eu-west-1:aws:code-interpreter/aws.codeinterpreter.v1",
)
allow(
    ["bedrock-agentcore:GetResourceOauth2Token"],
    "arn:aws:bedrock-agentcore:eu-west-1:111122223333:token-vault/default",
    "arn:aws:bedrock-agentcore:eu-west-1:111122223333:token-vault/default/oauth2credentialprovider/booking",
    "arn:aws:bedrock-agentcore:eu-west-1:111122223333:workload-identity-directory/default",
    "arn:aws:bedrock-agentcore:eu-west-1:111122223333:workload-identity-directory/default/workload-identity/concierge",
)
allow(["ses:StartArchiveSearch"], "arn:aws:ses:eu-west-1:111122223333:mailmanager-archive/a-0a1b2c3d4e")
allow(
    ["social-messaging:CreateWhatsAppMessageTemplate"],
    "arn:aws:social-messaging:eu-west-1:111122223333:waba/waba-0a1b2c3d",
)
allow(
    ["profile:GetProfileRecommendations"],
    "arn:aws:profile:eu-west-1:111122223333:domains/guests",
    "arn:aws:profile:eu-west-1:111122223333:domains/guests/recommenders/dinner",
)
allow(
    ["lambda:SendDurableExecutionCallbackSuccess"],
    "arn:aws:lambda:eu-west-1:111122223333:function:checkin:*/durable-execution/*",
)
allow(["bedrock:CreateSession"], "*")
allow(["bedrock-agentcore:ConnectBrowserLiveViewStream"], "*")
allow(["ses:PutSuppressedDestination"], "*")
allow(
    ["transcribe:StartTranscriptionJob"],
    "*",
    conditions={"StringEquals": {"transcribe:OutputBucketName": "hotel-calls"}},
)

app.synth()
