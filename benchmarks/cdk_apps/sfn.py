import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

from aws_cdk import aws_stepfunctions as sfn, aws_stepfunctions_tasks as t, aws_events as ev, aws_events_targets as et
app = App(); s=Stack(app,"A")
f=lambda_.Function(s,"F",runtime=lambda_.Runtime.NODEJS_20_X,handler="index.handler",code=lambda_.InlineCode("exports.handler=async()=>1"))
d=t.LambdaInvoke(s,"Inv",lambda_function=f).next(sfn.Choice(s,"C").when(sfn.Condition.string_equals("$.s","x"),sfn.Succeed(s,"ok")).otherwise(sfn.Fail(s,"no")))
m=sfn.StateMachine(s,"M",definition_body=sfn.DefinitionBody.from_chainable(d),timeout=Duration.minutes(5))
ev.Rule(s,"R",schedule=ev.Schedule.rate(Duration.hours(1)),targets=[et.SfnStateMachine(m)])
app.synth()
