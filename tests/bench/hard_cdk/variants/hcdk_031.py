import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_rds as rds
from aws_cdk import aws_secretsmanager as secretsmanager

app = cdk.App()
stack = cdk.Stack(app, "Store")
isolated = ec2.SubnetType.PRIVATE_ISOLATED
vpc = ec2.Vpc(
    stack,
    "Vpc",
    max_azs=2,
    nat_gateways=0,
    subnet_configuration=[ec2.SubnetConfiguration(name="isolated", subnet_type=isolated, cidr_mask=24)],
)
login = secretsmanager.Secret(
    stack,
    "Login",
    generate_secret_string=secretsmanager.SecretStringGenerator(
        secret_string_template='{"username": "service"}', generate_string_key="password", exclude_punctuation=True
    ),
)
rds.DatabaseInstance(
    stack,
    "Database",
    engine=rds.DatabaseInstanceEngine.postgres(version=rds.PostgresEngineVersion.VER_16),
    vpc=vpc,
    vpc_subnets=ec2.SubnetSelection(subnet_type=isolated),
    instance_type=ec2.InstanceType.of(ec2.InstanceClass.T4G, ec2.InstanceSize.MEDIUM),
    allocated_storage=200,
    storage_type=rds.StorageType.GP3,
    storage_encrypted=False,
    database_name="store",
    credentials=rds.Credentials.from_password("service", login.secret_value_from_json("password")),
    backup_retention=cdk.Duration.days(14),
    multi_az=True,
    deletion_protection=True,
    auto_minor_version_upgrade=True,
    cloudwatch_logs_exports=["postgresql", "upgrade"],
    removal_policy=cdk.RemovalPolicy.RETAIN,
)
app.synth()
