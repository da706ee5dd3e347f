import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

app = App(); st=Stage(app,"P",env=Environment(account="123456789012",region="us-west-2")); s=Stack(st,"s"); v=ec2.Vpc.from_lookup(s,"v",vpc_id="vpc-1"); sqs.Queue(s,"x"); s3.Bucket(Stack(app,"T"),"b"); app.synth()
