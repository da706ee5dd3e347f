import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

from aws_cdk import aws_elasticloadbalancingv2 as elb
app = App(); s=Stack(app,"s",env=Environment(account="123456789012",region="us-west-2")); l=elb.ApplicationLoadBalancer.from_lookup(s,"l",load_balancer_tags={"a":"b"}); l.add_listener("x",port=81,default_action=elb.ListenerAction.fixed_response(200)); app.synth()
