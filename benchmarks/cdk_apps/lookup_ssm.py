import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

from aws_cdk import aws_ssm as ssm
app = App(); s=Stack(app,"s",env=Environment(account="123456789012",region="us-east-1")); x=ssm.StringParameter.value_from_lookup(s,"/a/b"); sqs.Queue(s,"q"); CfnOutput(s,"o",value=x); app.synth()
