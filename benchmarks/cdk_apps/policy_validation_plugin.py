import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

import jsii
@jsii.implements(cdk.IPolicyValidationPluginBeta1)
class P:
    name="p"
    version="1"
    rule_ids=["r"]
    def validate(self, ctx):
        return cdk.PolicyValidationPluginReportBeta1(success=False, violations=[cdk.PolicyViolationBeta1(rule_name="r",description="d",violating_resources=[cdk.PolicyViolatingResourceBeta1(resource_logical_id="b",locations=["x"],template_path=ctx.template_paths[0])])])
app = App(policy_validation_beta1=[P()]); s=Stack(app,"s"); s3.Bucket(s,"b"); app.synth()
