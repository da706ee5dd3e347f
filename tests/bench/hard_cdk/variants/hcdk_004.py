import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_elasticloadbalancingv2 as elb
from aws_cdk import aws_elasticloadbalancingv2_targets as targets
from aws_cdk import aws_lambda as lambda_

app = cdk.App()

edge = cdk.Stack(app, "Edge")
vpc = ec2.Vpc(edge, "Vpc", max_azs=2, nat_gateways=0)
balancer = elb.ApplicationLoadBalancer(edge, "Balancer", vpc=vpc, internet_facing=True)
listener = balancer.add_listener(
    "Http", port=80, default_action=elb.ListenerAction.fixed_response(404, content_type="text/plain")
)


def service(name: str, priority: int, conditions: list, health: elb.HealthCheck | None) -> None:
    stack = cdk.Stack(app, name)
    function = lambda_.Function(
        stack,
        "Function",
        runtime=lambda_.Runtime.PYTHON_3_12,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context):\n    return {'statusCode': 200}\n"),
    )
    group = elb.ApplicationTargetGroup(stack, "Targets", targets=[targets.LambdaTarget(function)], health_check=health)
    # The rule is a construct of the service's stack that only refers to the listener.
    known = elb.ApplicationListener.from_application_listener_attributes(
        stack,
        "Listener",
        listener_arn=listener.listener_arn,
        security_group=ec2.SecurityGroup.from_security_group_id(
            stack, "Group", balancer.connections.security_groups[0].security_group_id
        ),
    )
    known.add_action("Action", action=elb.ListenerAction.forward([group]), priority=priority, conditions=conditions)


service(
    "Shop",
    10,
    [elb.ListenerCondition.host_headers(["shop.example.com"]), elb.ListenerCondition.path_patterns(["/api/*"])],
    elb.HealthCheck(enabled=True, path="/api/health"),
)
service("Blog", 20, [elb.ListenerCondition.path_patterns(["/blog/*"])], None)

app.synth()
