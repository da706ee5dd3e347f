import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

import json
from aws_cdk import cloudformation_include as ci
open("t.json","w").write(json.dumps({"Resources":{"B":{"Type":"AWS::S3::Bucket"}}}))
open("t.yaml","w").write("Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:\n      QueueName: !Sub 'x-${AWS::Region}'\n")
app = App(); s=Stack(app,"A"); ci.CfnInclude(s,"I",template_file="t.json"); ci.CfnInclude(s,"J",template_file="t.yaml")
app.synth()
