import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

import os
app = App(); s=Stack(app,"s",env=Environment(account="123456789012",region=os.environ.get("AWS_REGION","eu-west-1"))); s3.Bucket(s,"b"); 
print(os.environ["HOME"], os.environ["PATH"], os.environ["USER"])
app.synth()
