import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

from aws_cdk import aws_route53 as r53
app = App(); s=Stack(app,"s",env=Environment(account="123456789012",region="us-east-1")); z=r53.HostedZone.from_lookup(s,"v",domain_name="example.com"); r53.ARecord(s,"r",zone=z,target=r53.RecordTarget.from_ip_addresses("1.2.3.4")); app.synth()
