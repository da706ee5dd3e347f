import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Janitor")
role = iam.Role(stack, "Role", role_name="janitor", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))


def allow(actions: list[str], *resources: str, conditions: dict[str, dict[str, object]] | None = None) -> None:
    role.add_to_policy(iam.PolicyStatement(actions=actions, resources=list(resources), conditions=conditions))


allow(
    ["organizations:MoveAccount"],
    "arn:aws:organizations::111122223333:account/o-a1b2c3d4e5/444455556666",
    "arn:aws:organizations::111122223333:root/o-a1b2c3d4e5/r-ab12",
    "arn:aws:organizations::111122223333:ou/o-a1b2c3d4e5/ou-ab12-11112222",
)
allow(
    ["organizations:AttachPolicy"],
    "arn:aws:organizations::111122223333:policy/o-a1b2c3d4e5/service_control_policy/p-examplescp1",
    "arn:aws:organizations::111122223333:ou/o-a1b2c3d4e5/ou-ab12-11112222",
)
allow(
    ["organizations:RegisterDelegatedAdministrator"],
    "arn:aws:organizations::111122223333:account/o-a1b2c3d4e5/444455556666",
    conditions={"StringEquals": {"organizations:ServicePrincipal": "securityhub.amazonaws.com"}},
)
allow(
    ["account:PutAlternateContact"],
    "arn:aws:account::111122223333:account/o-a1b2c3d4e5/444455556666",
    conditions={"StringEquals": {"account:AlternateContactTypes": "SECURITY"}},
)
allow(
    ["sso:CreateAccountAssignment"],
    "arn:aws:sso:::instance/ssoins-1234567890abcdef",
    "arn:aws:sso:::permissionSet/ssoins-1234567890abcdef/ps-abcdef1234567890",
    "arn:aws:sso:::account/444455556666",
)
allow(
    ["identitystore:CreateGroupMembership"],
    "arn:aws:identitystore::111122223333:identitystore/d-9067abcdef",
    "arn:aws:identitystore:::user/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36",
    "arn:aws:identitystore:::group/7a1b9c3d-2e4f-4a6b-8c0d-1e2f3a4b5c6d",
)
allow(["budgets:ModifyBudget"], "arn:aws:budgets::111122223333:budget/team-a")
allow(
    ["budgets:ExecuteBudgetAction"],
    "arn:aws:budgets::111122223333:budget/team-a/action/7a1b9c3d-2e4f-4a6b-8c0d-1e2f3a4b5c6d",
)
allow(
    ["iam:PutRolePermissionsBoundary"],
    "arn:aws:iam::111122223333:role/team/*",
    conditions={"StringEquals": {"iam:PermissionsBoundary": "arn:aws:iam::111122223333:policy/team-limit"}},
)
allow(["iam:DeactivateMFADevice"], "arn:aws:iam::111122223333:user/anna")
allow(
    ["acm-pca:IssueCertificate"],
    "arn:aws:acm-pca:eu-west-1:111122223333:certificate-authority/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36",
    conditions={"StringEquals": {"acm-pca:TemplateArn": "arn:aws:acm-pca:::template/EndEntityCertificate/V1"}},
)
allow(
    ["securityhub:BatchUpdateFindings"],
    "arn:aws:securityhub:eu-west-1:111122223333:hub/default",
    conditions={"StringEquals": {"securityhub:ASFFSyntaxPath/Workflow.Status": "NOTIFIED"}},
)
allow(
    ["cloudtrail:StartQuery"],
    "arn:aws:cloudtrail:eu-west-1:111122223333:eventdatastore/7a1b9c3d-2e4f-4a6b-8c0d-1e2f3a4b5c6d",
)
allow(
    ["cloudtrail-data:PutAuditEvents"],
    "arn:aws:cloudtrail:eu-west-1:111122223333:channel/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36",
)
allow(["access-analyzer:UpdateFindings"], "arn:aws:access-analyzer:eu-west-1:111122223333:analyzer/org")
allow(
    ["access-analyzer:UpdateArchiveRule"],
    "arn:aws:access-analyzer:eu-west-1:111122223333:analyzer/org/archive-rule/known",
)
allow(["ssm-incidents:StartIncident"], "arn:aws:ssm-incidents::111122223333:response-plan/outage")
allow(["ce:ProvideAnomalyFeedback"], "*")
allow(
    ["servicecatalog:TerminateProvisionedProduct"],
    "*",
    conditions={"StringEquals": {"servicecatalog:accountLevel": "self"}},
)
allow(["config:StartRemediationExecution"], "*")
allow(["config:PutEvaluations"], "*")
allow(["securityhub:UpdateSecurityControl"], "*")
allow(["cloudtrail:StopImport"], "*")
allow(
    ["sso:CreateApplicationAssignment"],
    "arn:aws:sso::111122223333:application/ssoins-1234567890abcdef/apl-abcdef1234567890",
)
allow(
    ["savingsplans:ReturnSavingsPlan"],
    "arn:aws:savingsplans::111122223333:savingsplan/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36",
)
allow(["license-manager:AcceptGrant"], "arn:aws:license-manager::111122223333:grant:g-0a1b2c3d4e5f")
allow(["controltower:ResetEnabledControl"], "arn:aws:controltower:eu-west-1:111122223333:enabledcontrol/EC0NTR0L12AB")
allow(
    ["inspector2:UpdateCisScanConfiguration"],
    "arn:aws:inspector2:eu-west-1:111122223333:owner/111122223333/cis-configuration/7a1b9c3d-2e4f-4a6b-8c0d-1e2f3a4b5c6d",
)
allow(["artifact:GetReport"], "arn:aws:artifact:eu-west-1::report/report-ab12cd34:1")
allow(
    ["auditmanager:BatchImportEvidenceToAssessmentControl"],
    "arn:aws:auditmanager:eu-west-1:111122223333:assessment/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36/controlSet/Access",
)
allow(["arc-region-switch:ApprovePlanExecutionStep"], "arn:aws:arc-region-switch::111122223333:plan/failover:ab12cd")
allow(
    ["notifications:AssociateManagedNotificationAdditionalChannel"],
    "arn:aws:notifications::111122223333:managed-notification-configuration/category/AWS-Health/sub-category/Security",
)
allow(["bcm-dashboards:UpdateDashboard"], "*")
allow(["macie2:UpdateClassificationScope"], "*")
allow(["trustedadvisor:BatchUpdateRecommendationResourceExclusion"], "*")

app.synth()
