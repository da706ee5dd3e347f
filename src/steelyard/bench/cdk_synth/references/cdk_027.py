import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_elasticloadbalancingv2 as elbv2
from aws_cdk import aws_route53 as route53
from aws_cdk import aws_route53_targets as targets
from constructs import Construct


class InternalNamesStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        vpc = ec2.Vpc(
            self,
            "Network",
            max_azs=2,
            nat_gateways=0,
            subnet_configuration=[
                ec2.SubnetConfiguration(name="private", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            ],
        )
        balancer = elbv2.ApplicationLoadBalancer(
            self,
            "Intranet",
            vpc=vpc,
            internet_facing=False,
            vpc_subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
        )
        balancer.add_listener(
            "Http",
            port=80,
            open=False,
            default_action=elbv2.ListenerAction.fixed_response(200, content_type="text/plain", message_body="intranet"),
        )
        zone = route53.PrivateHostedZone(self, "Zone", zone_name="corp.internal", vpc=vpc)
        route53.ARecord(
            self,
            "IntranetName",
            zone=zone,
            record_name="intranet",
            target=route53.RecordTarget.from_alias(targets.LoadBalancerTarget(balancer)),
        )
        route53.CnameRecord(
            self,
            "WikiName",
            zone=zone,
            record_name="wiki",
            domain_name="intranet.corp.internal",
            ttl=cdk.Duration.minutes(5),
        )


app = cdk.App()
InternalNamesStack(app, "InternalNames")
app.synth()
