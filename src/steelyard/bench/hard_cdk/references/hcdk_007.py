import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_sqs as sqs

app = cdk.App()
workers = cdk.Stack(app, "Workers")
queue_a = sqs.Queue(workers, "A", queue_name="night-a")
queue_b = sqs.Queue(workers, "B", queue_name="night-b")
queue_c = sqs.Queue(workers, "C", queue_name="night-c")

night = cdk.Stack(app, "Night")
role = iam.Role(night, "Role", assumed_by=iam.ServicePrincipal("scheduler.amazonaws.com"))
role.add_to_policy(
    iam.PolicyStatement(
        actions=["sqs:SendMessage"], resources=[queue_a.queue_arn, queue_b.queue_arn, queue_c.queue_arn]
    )
)
exact = scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF")
to_a = scheduler.CfnSchedule.TargetProperty(arn=queue_a.queue_arn, role_arn=role.role_arn)
to_b = scheduler.CfnSchedule.TargetProperty(arn=queue_b.queue_arn, role_arn=role.role_arn)
to_c = scheduler.CfnSchedule.TargetProperty(arn=queue_c.queue_arn, role_arn=role.role_arn)
scheduler.CfnSchedule(night, "Anvil", name="anvil", schedule_expression="cron(27 22 * * ? *)", flexible_time_window=exact, target=to_c)
scheduler.CfnSchedule(night, "Brook", name="brook", schedule_expression="cron(0 22 * * ? *)", flexible_time_window=exact, target=to_c)
scheduler.CfnSchedule(night, "Chime", name="chime", schedule_expression="cron(0 22 * * ? *)", flexible_time_window=exact, target=to_b)
scheduler.CfnSchedule(night, "Dune", name="dune", schedule_expression="cron(38 22 * * ? *)", flexible_time_window=exact, target=to_b)
scheduler.CfnSchedule(night, "Eagle", name="eagle", schedule_expression="cron(23 23 * * ? *)", flexible_time_window=exact, target=to_a)
scheduler.CfnSchedule(night, "Frost", name="frost", schedule_expression="cron(2 0 * * ? *)", flexible_time_window=exact, target=to_c)
scheduler.CfnSchedule(night, "Grain", name="grain", schedule_expression="cron(27 23 * * ? *)", flexible_time_window=exact, target=to_b)
scheduler.CfnSchedule(night, "Heron", name="heron", schedule_expression="cron(0 0 * * ? *)", flexible_time_window=exact, target=to_a)
scheduler.CfnSchedule(night, "Ivory", name="ivory", schedule_expression="cron(41 22 * * ? *)", flexible_time_window=exact, target=to_a)
scheduler.CfnSchedule(night, "Jetty", name="jetty", schedule_expression="cron(23 23 * * ? *)", flexible_time_window=exact, target=to_c)
scheduler.CfnSchedule(night, "Kiln", name="kiln", schedule_expression="cron(5 1 * * ? *)", flexible_time_window=exact, target=to_a)
scheduler.CfnSchedule(night, "Lumen", name="lumen", schedule_expression="cron(4 2 * * ? *)", flexible_time_window=exact, target=to_c)
scheduler.CfnSchedule(night, "Marsh", name="marsh", schedule_expression="cron(43 3 * * ? *)", flexible_time_window=exact, target=to_b)
scheduler.CfnSchedule(night, "North", name="north", schedule_expression="cron(6 1 * * ? *)", flexible_time_window=exact, target=to_c)
scheduler.CfnSchedule(night, "Otter", name="otter", schedule_expression="cron(8 2 * * ? *)", flexible_time_window=exact, target=to_a)
scheduler.CfnSchedule(night, "Prism", name="prism", schedule_expression="cron(50 1 * * ? *)", flexible_time_window=exact, target=to_b)
scheduler.CfnSchedule(night, "Quill", name="quill", schedule_expression="cron(5 3 * * ? *)", flexible_time_window=exact, target=to_b)
scheduler.CfnSchedule(night, "Raven", name="raven", schedule_expression="cron(39 3 * * ? *)", flexible_time_window=exact, target=to_a)
scheduler.CfnSchedule(night, "Straw", name="straw", schedule_expression="cron(39 3 * * ? *)", flexible_time_window=exact, target=to_c)
scheduler.CfnSchedule(night, "Thorn", name="thorn", schedule_expression="cron(31 4 * * ? *)", flexible_time_window=exact, target=to_b)
scheduler.CfnSchedule(night, "Vapor", name="vapor", schedule_expression="cron(56 4 * * ? *)", flexible_time_window=exact, target=to_a)
scheduler.CfnSchedule(night, "Willow", name="willow", schedule_expression="cron(0 22 * * ? *)", flexible_time_window=exact, target=to_a)

app.synth()
