import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

app = App()
s1=Stack(app,"A",env=Environment(account="123456789012",region="us-east-1"),cross_region_references=True)
s2=Stack(app,"B",env=Environment(account="123456789012",region="eu-west-1"),cross_region_references=True)
b1=s3.Bucket(s1,"B1"); CfnOutput(s2,"O",value=b1.bucket_arn); sqs.Queue(s2,"Q")
app.synth()
