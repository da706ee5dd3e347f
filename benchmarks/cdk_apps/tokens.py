import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

app = App(); s=Stack(app,"A")
p=cdk.CfnParameter(s,"P",type="Number",default=3)
q=sqs.Queue(s,"Q",visibility_timeout=Duration.seconds(p.value_as_number))
b=s3.Bucket(s,"B",bucket_name=cdk.Fn.join("-",["x",cdk.Aws.ACCOUNT_ID]))
n=s.resolve(b.bucket_arn); print(n, len(q.queue_name))
for k in cdk.Fn.split(",", "a,b"): print(k)
app.synth()
