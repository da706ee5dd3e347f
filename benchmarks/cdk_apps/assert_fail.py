import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

from aws_cdk.assertions import Template
app = App(); s=Stack(app,"s"); s3.Bucket(s,"b"); t=Template.from_stack(s); t.resource_count_is("AWS::S3::Bucket",2); app.synth()
