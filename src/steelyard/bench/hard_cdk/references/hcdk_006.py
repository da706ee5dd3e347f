import aws_cdk as cdk
from aws_cdk import aws_sqs as sqs

app = cdk.App()
intake = cdk.Stack(app, "Intake")
queue = sqs.Queue(intake, "Queue")
links = cdk.Stack(app, "Links")
topics = f"arn:aws:sns:{links.region}:{links.account}:"
sqs.CfnQueuePolicy(
    links,
    "Policy",
    queues=[queue.queue_url],
    policy_document={
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "sns.amazonaws.com"},
                "Action": "sqs:SendMessage",
                "Resource": queue.queue_arn,
                "Condition": {
                    "ArnLike": {"aws:SourceArn": [topics + "*p*n*n*a*", topics + "*n*a*k*s*", topics + "*p*k*c*n*"]},
                },
            }
        ],
    },
)

app.synth()
