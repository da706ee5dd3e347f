import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

app = App(); s1=Stack(app,"A"); s2=Stack(app,"B")
b1=s3.Bucket(s1,"B1"); b2=s3.Bucket(s2,"B2")
CfnOutput(s1,"O",value=b2.bucket_arn); CfnOutput(s2,"O",value=b1.bucket_arn)
app.synth()
