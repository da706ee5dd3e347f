import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Release")
tasks = iam.ServicePrincipal("ecs-tasks.amazonaws.com")
task = iam.Role(stack, "Task", role_name="web-task", assumed_by=tasks)
execution = iam.Role(stack, "Execution", role_name="web-exec", assumed_by=tasks)
releaser = iam.Role(stack, "Releaser", role_name="releaser", assumed_by=iam.ServicePrincipal("codebuild.amazonaws.com"))


def ecs(resource: str, name: str) -> str:
    return stack.format_arn(service="ecs", resource=resource, resource_name=name)


family = ecs("task-definition", "web:*")
for statement in (
    iam.PolicyStatement(actions=["ecs:RegisterTaskDefinition"], resources=[family]),
    iam.PolicyStatement(actions=["ecs:DescribeTaskDefinition"], resources=["*"]),
    iam.PolicyStatement(actions=["ecs:UpdateService", "ecs:DescribeServices"], resources=[ecs("service", "prod/web")]),
    iam.PolicyStatement(
        actions=["ecs:RunTask"],
        resources=[family],
        conditions={"StringEquals": {"ecs:cluster": f"arn:aws:ecs:{cdk.Aws.REGION}:{cdk.Aws.ACCOUNT_ID}:cluster/prod"}},
    ),
    iam.PolicyStatement(
        actions=["iam:PassRole"],
        resources=[task.role_arn, execution.role_arn],
        conditions={"ForAnyValue:StringLike": {"iam:PassedToService": ["ecs-tasks.amazonaws.com"]}},
    ),
):
    iam.ManagedPolicy(stack, f"P{len(stack.node.children)}", statements=[statement], roles=[releaser])

app.synth()
