import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from constructs import Construct


class ThreeTierNetworkStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        vpc = ec2.Vpc(
            self,
            "Network",
            ip_addresses=ec2.IpAddresses.cidr("10.40.0.0/16"),
            availability_zones=["us-east-1a", "us-east-1b", "us-east-1c"],
            nat_gateways=3,
            subnet_configuration=[
                ec2.SubnetConfiguration(name="edge", subnet_type=ec2.SubnetType.PUBLIC, cidr_mask=24),
                ec2.SubnetConfiguration(name="app", subnet_type=ec2.SubnetType.PRIVATE_WITH_EGRESS, cidr_mask=20),
                ec2.SubnetConfiguration(name="data", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED, cidr_mask=24),
            ],
            gateway_endpoints={
                "S3": ec2.GatewayVpcEndpointOptions(service=ec2.GatewayVpcEndpointAwsService.S3),
                "DynamoDb": ec2.GatewayVpcEndpointOptions(service=ec2.GatewayVpcEndpointAwsService.DYNAMODB),
            },
        )
        app_group = ec2.SecurityGroup(self, "AppGroup", vpc=vpc, description="Application tier")
        data_group = ec2.SecurityGroup(self, "DataGroup", vpc=vpc, description="Data tier", allow_all_outbound=False)
        data_group.add_ingress_rule(app_group, ec2.Port.tcp(3306), "MySQL from the application tier")

        for name, service in {
            "SecretsManager": ec2.InterfaceVpcEndpointAwsService.SECRETS_MANAGER,
            "Logs": ec2.InterfaceVpcEndpointAwsService.CLOUDWATCH_LOGS,
        }.items():
            vpc.add_interface_endpoint(
                name,
                service=service,
                private_dns_enabled=True,
                subnets=ec2.SubnetSelection(subnet_group_name="app"),
            )

        acl = ec2.NetworkAcl(
            self,
            "DataAcl",
            vpc=vpc,
            subnet_selection=ec2.SubnetSelection(subnet_group_name="data"),
        )
        acl.add_entry(
            "MySqlIn",
            rule_number=100,
            cidr=ec2.AclCidr.ipv4("10.40.0.0/16"),
            traffic=ec2.AclTraffic.tcp_port(3306),
            direction=ec2.TrafficDirection.INGRESS,
        )
        acl.add_entry(
            "AnswersOut",
            rule_number=100,
            cidr=ec2.AclCidr.ipv4("10.40.0.0/16"),
            traffic=ec2.AclTraffic.tcp_port_range(1024, 65535),
            direction=ec2.TrafficDirection.EGRESS,
        )


app = cdk.App()
ThreeTierNetworkStack(app, "ThreeTierNetwork")
app.synth()
