import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_elasticloadbalancingv2 as elbv2

app = cdk.App()
front = cdk.Stack(app, "Front")
vpc = ec2.Vpc(
    front,
    "Vpc",
    max_azs=2,
    nat_gateways=0,
    subnet_configuration=[ec2.SubnetConfiguration(name="inner", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED)],
)
balancer = elbv2.ApplicationLoadBalancer(
    front,
    "Balancer",
    vpc=vpc,
    internet_facing=False,
    vpc_subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
)
listener = balancer.add_listener(
    "Http",
    port=80,
    protocol=elbv2.ApplicationProtocol.HTTP,
    open=False,
    default_action=elbv2.ListenerAction.fixed_response(404),
)
teams = {name: cdk.Stack(app, name) for name in ("Shop", "Api", "Media", "Legacy")}
groups = {
    name: elbv2.ApplicationTargetGroup(
        stack,
        "Group",
        target_group_name=name.lower(),
        port=8080,
        protocol=elbv2.ApplicationProtocol.HTTP,
        target_type=elbv2.TargetType.IP,
        vpc=vpc,
    )
    for name, stack in teams.items()
}
host = elbv2.ListenerCondition.host_headers
path = elbv2.ListenerCondition.path_patterns
method = elbv2.ListenerCondition.http_request_methods
NEXT = elbv2.ListenerCondition.http_header("X-Client", ["next-*"])
REFUSED = elbv2.ListenerAction.fixed_response(404)
priorities = iter(range(10, 1000, 10))


def rule(team: str, *conditions: elbv2.ListenerCondition, refused: bool = False) -> None:
    """The next rule in the order of priorities, in the stack of a team."""
    priority = next(priorities)
    elbv2.ApplicationListenerRule(
        teams[team],
        f"Rule{priority}",
        listener=listener,
        priority=priority,
        conditions=list(conditions),
        action=REFUSED if refused else elbv2.ListenerAction.forward([groups[team]]),
    )


WWW, API, PLAIN, MOBILE = "www.example.com", "api.example.com", "example.com", "m.example.com"
rule("Media", path([f"/static/*.{kind}" for kind in ("png", "jpg", "gif", "webp", "svg")]))
rule("Legacy", host(["old.example.com"]))
# Line 3: clients that are not sent to legacy are decided here, by what the later lines say about these paths.
for verb in ("GET", "HEAD", "POST", "PUT", "DELETE"):
    rule("Api", host([WWW, API]), path(["/api/v1*"]), NEXT, method([verb]))
rule("Api", host([WWW, API]), path(["/api/v1", "/api/v1/*"]), NEXT, refused=True)
rule("Shop", path(["/api/v1", "/api/v1/*"]), NEXT, method(["DELETE"]), refused=True)
rule("Legacy", host([PLAIN, MOBILE]), path(["/api/v1/*.do", "/api/v1/*.php"]), NEXT)
rule("Shop", host([PLAIN, MOBILE]), path(["/api/v1", "/api/v1/*"]), NEXT)
rule("Legacy", path(["/api/v1", "/api/v1/*"]), NEXT, refused=True)
rule("Legacy", path(["/api/v1", "/api/v1/*"]))
# Line 4; on the API's own host these four methods end there by line 6 too.
rule("Api", host([API]), method(["GET", "HEAD", "POST", "PUT"]))
rule("Api", host([WWW]), path(["/api", "/api/*"]), method(["GET", "HEAD"]))
rule("Api", host([WWW]), path(["/api", "/api/*"]), method(["POST", "PUT"]))
rule("Api", host([WWW, API]), path(["/api", "/api/*"]), method(["DELETE"]))
rule("Api", host([WWW, API]), path(["/api", "/api/*"]), refused=True)
rule("Shop", method(["DELETE"]), refused=True)
rule("Api", host([API]))
rule("Legacy", host([WWW, PLAIN, MOBILE]), path(["/cgi-bin/*", "*.do"]))
rule("Legacy", host([WWW, PLAIN, MOBILE]), path(["*.php"]))
rule("Shop", host([WWW, PLAIN, MOBILE]))

app.synth()
