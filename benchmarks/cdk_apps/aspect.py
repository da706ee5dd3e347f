import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

import jsii
@jsii.implements(cdk.IAspect)
class V:
    def visit(self, node):
        if isinstance(node, s3.CfnBucket) and not node.versioning_configuration:
            cdk.Annotations.of(node).add_warning("not versioned")
            node.versioning_configuration = s3.CfnBucket.VersioningConfigurationProperty(status="Enabled")
app = App(); s=Stack(app,"A"); s3.Bucket(s,"B",removal_policy=RemovalPolicy.DESTROY,auto_delete_objects=True)
Aspects.of(app).add(V()); Tags.of(app).add("Env","dev")
app.synth()
