import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_elasticache as elasticache
from aws_cdk import aws_lambda as lambda_
from constructs import Construct


class SessionCacheStack(cdk.Stack):
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
        cache_group = ec2.SecurityGroup(self, "CacheGroup", vpc=vpc, description="Session cache")
        reader_group = ec2.SecurityGroup(self, "ReaderGroup", vpc=vpc, description="Session reader")
        cache_group.add_ingress_rule(reader_group, ec2.Port.tcp(6379), "Sessions")

        subnets = elasticache.CfnSubnetGroup(
            self,
            "CacheSubnets",
            description="Private subnets of the session cache",
            subnet_ids=[subnet.subnet_id for subnet in vpc.isolated_subnets],
        )
        cache = elasticache.CfnReplicationGroup(
            self,
            "Sessions",
            replication_group_description="Sessions of the web shop",
            engine="valkey",
            cache_node_type="cache.t4g.small",
            num_cache_clusters=2,
            automatic_failover_enabled=True,
            multi_az_enabled=True,
            at_rest_encryption_enabled=True,
            transit_encryption_enabled=True,
            cache_subnet_group_name=subnets.ref,
            security_group_ids=[cache_group.security_group_id],
            snapshot_retention_limit=3,
        )
        lambda_.Function(
            self,
            "Reader",
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline("def handler(event, context):\n    return 'ok'\n"),
            vpc=vpc,
            vpc_subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED),
            security_groups=[reader_group],
            environment={"CACHE_HOST": cache.attr_primary_end_point_address},
        )


app = cdk.App()
SessionCacheStack(app, "SessionCache")
app.synth()
