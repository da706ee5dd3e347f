import aws_cdk as cdk
from aws_cdk import aws_backup as backup
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_kms as kms
from constructs import Construct


class BackupStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        vault = backup.BackupVault(
            self,
            "Vault",
            encryption_key=kms.Key(self, "VaultKey", enable_key_rotation=True),
        )
        plan = backup.BackupPlan(self, "Plan", backup_vault=vault)
        plan.add_rule(
            backup.BackupPlanRule(
                rule_name="daily",
                schedule_expression=events.Schedule.cron(hour="3", minute="0"),
                delete_after=cdk.Duration.days(35),
            )
        )
        plan.add_rule(
            backup.BackupPlanRule(
                rule_name="monthly",
                schedule_expression=events.Schedule.cron(day="1", hour="4", minute="0"),
                move_to_cold_storage_after=cdk.Duration.days(30),
                delete_after=cdk.Duration.days(365),
            )
        )
        plan.add_selection("Tagged", resources=[backup.BackupResource.from_tag("backup", "yes")])

        customers = dynamodb.Table(
            self,
            "Customers",
            partition_key=dynamodb.Attribute(name="id", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
        )
        cdk.Tags.of(customers).add("backup", "yes")


app = cdk.App()
BackupStack(app, "Backup")
app.synth()
