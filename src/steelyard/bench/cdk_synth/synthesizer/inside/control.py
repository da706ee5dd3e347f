"""A small known-good app: the first app of every kernel, and the check that a kernel is still sound."""

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs

app = cdk.App()
stack = cdk.Stack(app, "Control", analytics_reporting=False)  # its text would name versions
zones = stack.availability_zones  # tokens that the library keeps once they are made
key = cdk.CfnParameter(stack, "Stage", default="test")
bucket = s3.Bucket(stack, "Bucket", versioned=True, removal_policy=cdk.RemovalPolicy.DESTROY)
queue = sqs.Queue(stack, "Queue", visibility_timeout=cdk.Duration.seconds(30))
role = iam.Role(stack, "Role", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))
bucket.grant_read(role)
queue.grant_send_messages(role)
cdk.CfnOutput(stack, "Name", value=bucket.bucket_name)
app.synth()
