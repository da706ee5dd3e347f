import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

app = App(); s=Stack(app,"A")
s3.CfnBucket(s,"B",bucket_encryption={"serverSideEncryptionConfiguration":[{"serverSideEncryptionByDefault":{"sseAlgorithm":"AES256"}}]})
cdk.CfnResource(s,"R",type="AWS::SNS::Topic",properties={"TopicName":"x"})
b=s3.CfnBucket(s,"C"); b.add_property_override("VersioningConfiguration.Status","Enabled"); b.add_override("DeletionPolicy","Retain")
app.synth()
