"""The password managed by RDS itself, the security group's rule inline, everything as a level-1 instance."""

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_rds as rds

app = cdk.App()
stack = cdk.Stack(app, "Database")
vpc = ec2.Vpc(
    stack,
    "Vpc",
    max_azs=2,
    subnet_configuration=[ec2.SubnetConfiguration(name="db", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED)],
)
clients = ec2.SecurityGroup(stack, "Clients", vpc=vpc)
guard = ec2.CfnSecurityGroup(
    stack,
    "Guard",
    group_description="database",
    vpc_id=vpc.vpc_id,
    security_group_ingress=[
        ec2.CfnSecurityGroup.IngressProperty(
            ip_protocol="tcp", from_port=5432, to_port=5432, source_security_group_id=clients.security_group_id
        )
    ],
)
subnets = rds.CfnDBSubnetGroup(
    stack,
    "Subnets",
    db_subnet_group_description="isolated",
    subnet_ids=vpc.select_subnets(subnet_type=ec2.SubnetType.PRIVATE_ISOLATED).subnet_ids,
)
rds.CfnDBInstance(
    stack,
    "Instance",
    engine="postgres",
    engine_version="16.9",
    db_instance_class="db.t4g.medium",
    allocated_storage="50",
    master_username="ledger",
    manage_master_user_password=True,
    multi_az=True,
    storage_encrypted=True,
    backup_retention_period=7,
    deletion_protection=True,
    publicly_accessible=False,
    db_subnet_group_name=subnets.ref,
    vpc_security_groups=[guard.attr_group_id],
)
app.synth()
