import aws_cdk as cdk
import jsii
from aws_cdk import aws_sqs as sqs
from constructs import Construct, IConstruct


class SecureQueue(Construct):
    """A queue with a dead-letter queue that admits TLS only."""

    def __init__(self, scope: Construct, construct_id: str, *, max_receives: int = 3) -> None:
        super().__init__(scope, construct_id)
        self.failed = sqs.Queue(self, "Failed", enforce_ssl=True, retention_period=cdk.Duration.days(14))
        self.queue = sqs.Queue(
            self,
            "Queue",
            enforce_ssl=True,
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.failed, max_receive_count=max_receives),
        )


@jsii.implements(cdk.IAspect)
class ManagedEncryption:
    """Switches SQS-managed encryption on for every queue it visits."""

    def visit(self, node: IConstruct) -> None:
        if isinstance(node, sqs.CfnQueue):
            node.sqs_managed_sse_enabled = True


class IntakeStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)
        SecureQueue(self, "Orders")
        SecureQueue(self, "Returns")
        SecureQueue(self, "Complaints", max_receives=10)


app = cdk.App()
stack = IntakeStack(app, "Intake")
cdk.Aspects.of(stack).add(ManagedEncryption())
cdk.Tags.of(stack).add("team", "intake")
cdk.Tags.of(stack).add("cost-center", "4711")
app.synth()
