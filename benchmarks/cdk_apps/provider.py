import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

from aws_cdk import custom_resources as cr
app = App(); s=Stack(app,"A")
f=lambda_.Function(s,"F",runtime=lambda_.Runtime.PYTHON_3_12,handler="index.handler",code=lambda_.InlineCode("def handler(e,c): return {}"))
p=cr.Provider(s,"P",on_event_handler=f,is_complete_handler=f)
cdk.CustomResource(s,"X",service_token=p.service_token,properties={"a":1,"b":cdk.Aws.REGION})
cr.AwsCustomResource(s,"C",on_create=cr.AwsSdkCall(service="S3",action="listBuckets",physical_resource_id=cr.PhysicalResourceId.of("x")),policy=cr.AwsCustomResourcePolicy.from_sdk_calls(resources=["*"]))
app.synth()
