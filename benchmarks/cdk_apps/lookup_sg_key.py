import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

from aws_cdk import aws_kms as kms
app = App(); s=Stack(app,"s",env=Environment(account="123456789012",region="us-west-2")); k=kms.Key.from_lookup(s,"k",alias_name="alias/x"); g=ec2.SecurityGroup.from_security_group_id(s,"g","sg-1"); s3.Bucket(s,"b",encryption_key=k); app.synth()
