import aws_cdk as cdk
from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns

app = cdk.App()
alarms = cdk.Stack(app, "Alarms")
topic = sns.Topic(alarms, "Topic")
topic.add_to_resource_policy(
    iam.PolicyStatement(
        actions=["sns:Publish"],
        principals=[iam.ServicePrincipal("budgets.amazonaws.com")],
        resources=[topic.topic_arn],
    )
)

plans = cdk.Stack(app, "Plans")
warning = budgets.CfnBudget.NotificationWithSubscribersProperty(
    notification=budgets.CfnBudget.NotificationProperty(
        notification_type="ACTUAL",
        comparison_operator="GREATER_THAN",
        threshold=90,
        threshold_type="PERCENTAGE",
    ),
    subscribers=[budgets.CfnBudget.SubscriberProperty(subscription_type="SNS", address=topic.topic_arn)],
)
budgets.CfnBudget(
    plans,
    "Atlas",
    budget=budgets.CfnBudget.BudgetDataProperty(
        budget_name="atlas",
        budget_type="COST",
        time_unit="QUARTERLY",
        planned_budget_limits={
            "1798761600": {"Amount": "6829.74", "Unit": "USD"},
            "1806537600": {"Amount": "6372.13", "Unit": "USD"},
            "1814400000": {"Amount": "6881.98", "Unit": "USD"},
            "1822348800": {"Amount": "6480.81", "Unit": "USD"},
        },
    ),
    notifications_with_subscribers=[warning],
)
budgets.CfnBudget(
    plans,
    "Boreas",
    budget=budgets.CfnBudget.BudgetDataProperty(
        budget_name="boreas",
        budget_type="COST",
        time_unit="QUARTERLY",
        planned_budget_limits={
            "1798761600": {"Amount": "6001.15", "Unit": "USD"},
            "1806537600": {"Amount": "6956.29", "Unit": "USD"},
            "1814400000": {"Amount": "6242.70", "Unit": "USD"},
            "1822348800": {"Amount": "5824.15", "Unit": "USD"},
        },
    ),
    notifications_with_subscribers=[warning],
)
budgets.CfnBudget(
    plans,
    "Cirrus",
    budget=budgets.CfnBudget.BudgetDataProperty(
        budget_name="cirrus",
        budget_type="COST",
        time_unit="QUARTERLY",
        planned_budget_limits={
            "1798761600": {"Amount": "7053.31", "Unit": "USD"},
            "1806537600": {"Amount": "6681.15", "Unit": "USD"},
            "1814400000": {"Amount": "5969.20", "Unit": "USD"},
            "1822348800": {"Amount": "6648.67", "Unit": "USD"},
        },
    ),
    notifications_with_subscribers=[warning],
)
budgets.CfnBudget(
    plans,
    "Delta",
    budget=budgets.CfnBudget.BudgetDataProperty(
        budget_name="delta",
        budget_type="COST",
        time_unit="QUARTERLY",
        planned_budget_limits={
            "1798761600": {"Amount": "3131.38", "Unit": "USD"},
            "1806537600": {"Amount": "7074.59", "Unit": "USD"},
            "1814400000": {"Amount": "6111.00", "Unit": "USD"},
            "1822348800": {"Amount": "6909.36", "Unit": "USD"},
        },
    ),
    notifications_with_subscribers=[warning],
)

app.synth()
