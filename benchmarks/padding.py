"""How often padding raises the score of an architecture answer under the heuristic; none should.

    python benchmarks/padding.py [--tune]

Sentences about AWS in general, and about nothing of the kind, are appended to labelled answers and references, put
first, or put after every sentence; alone and in blocks of five. The rules of `heuristic.situation` were tuned on one
list (`--tune`); the figures come from the other, which was written afterwards.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from functools import partial

from padding_trials import padded, try_all

from steelyard.bench.architecture_design.model import DesignItem

SINGLE, BLOCKS, BLOCK = 8, 2, 5
"""Sentences and blocks per answer, and sentences in a block."""
TUNED = (
    "S3 is an object storage service that offers virtually unlimited capacity and eleven nines of durability.",
    "Lambda runs code without provisioning servers and scales automatically with the number of requests.",
    "DynamoDB is a fully managed NoSQL database that delivers single-digit millisecond latency at any scale.",
    "API Gateway is a managed service for creating, publishing and securing APIs, and it routes requests to Lambda.",
    "CloudFront is a content delivery network that caches content at edge locations close to users.",
    "SQS decouples producers from consumers and buffers messages until they are processed.",
    "A dead-letter queue holds messages that could not be processed after several attempts.",
    "SNS is a publish/subscribe service that delivers each message to all subscribers of a topic.",
    "RDS is a managed relational database service with automated backups and Multi-AZ failover.",
    "Read replicas offload read traffic from the primary database.",
    "Aurora stores six copies of the data across three availability zones.",
    "ElastiCache keeps frequently read data in memory so that the database is relieved.",
    "An Application Load Balancer distributes incoming requests across healthy targets in several zones.",
    "An Auto Scaling group adds instances when CPU is high and removes them when it is low.",
    "EC2 offers virtual machines in many instance types.",
    "ECS and Fargate run containers without managing servers.",
    "EKS is a managed Kubernetes service that runs pods on worker nodes.",
    "IAM roles give applications temporary credentials, so no long-lived access keys are needed.",
    "KMS encrypts data at rest with keys that are rotated every year.",
    "CloudWatch collects metrics and logs and raises alarms when a threshold is crossed.",
    "CloudTrail records every API call in the account for auditing.",
    "EventBridge routes events from producers to consumers by rules.",
    "Step Functions coordinates several Lambda functions as a state machine with retries and error handling.",
    "Kinesis Data Streams keeps records in order within a shard and lets several consumers read them.",
    "Firehose buffers records and writes them in batches to S3.",
    "Athena queries files in S3 with standard SQL and charges by the data scanned, so Parquet lowers the cost.",
    "Glue crawls data and keeps its schema in a catalog.",
    "Redshift is a data warehouse with columnar storage for analytics.",
    "Route 53 is a DNS service that routes users to healthy endpoints.",
    "WAF protects web applications from SQL injection and limits the rate of requests.",
    "Cognito signs users in and issues tokens that API Gateway verifies.",
    "Secrets Manager stores passwords and rotates them automatically.",
    "A NAT gateway lets instances in private subnets reach the internet, while VPC endpoints avoid its charges.",
    "A Transit Gateway connects many VPCs and on-premises networks through one hub.",
    "Direct Connect is a private line with steady latency, and a VPN can serve as its backup.",
    "IoT Core receives MQTT messages from devices and forwards them by rules to other services.",
    "OpenSearch indexes documents and supports full-text and vector search.",
    "Bedrock gives access to foundation models through an API.",
    "EFS is a shared file system that several instances can mount at once.",
    "Lifecycle rules move old objects to Glacier, which is cheaper.",
    "Savings Plans and Spot Instances lower the cost of compute considerably.",
    "The database should be in a private subnet with a security group that admits only the application.",
    "Use HTTPS everywhere with a certificate from ACM.",
    "Enable Multi-AZ so that a failure of one zone does not stop the application.",
    "Make consumers idempotent, because messages may be delivered more than once.",
    "Retries should use exponential backoff with jitter.",
    "Use infrastructure as code so that environments can be rebuilt.",
    "Block public access on all buckets and enable versioning.",
    "In today's cloud environments, a well-designed architecture balances cost, performance and security.",
    "The architecture should be reviewed regularly against the pillars of the Well-Architected Framework.",
    "Monitoring and alerting should be set up for all components, and logs should be kept centrally.",
    "Backups should be tested regularly by restoring them.",
    "A cache with a short TTL keeps the load away from the database during peaks.",
    "Partition keys should be chosen so that the traffic is spread evenly and no hot partition arises.",
    "Asynchronous processing lets the user continue while the work is done in the background.",
    "Amazon S3 keeps any amount of data as objects in buckets and is designed for very high durability.",
    "With AWS Lambda you pay only for the milliseconds in which your function runs.",
    "DynamoDB tables scale horizontally by partition key, and streams capture every change to an item.",
    "API Gateway can throttle callers, validate requests and check JWT tokens before anything reaches the backend.",
    "A CDN such as CloudFront lowers latency, since most files are served from a nearby point of presence.",
    "Queues such as SQS absorb spikes in traffic so the workers behind them can proceed at their own pace.",
    "Messages that fail repeatedly end up in a dead-letter queue where engineers can inspect and replay them.",
    "With SNS fan-out one published event reaches many queues and functions in parallel.",
    "RDS Multi-AZ keeps a synchronous standby in another zone and fails over within a minute or two.",
    "Aurora read replicas share the storage volume with the writer and can be promoted quickly.",
    "Redis in ElastiCache answers repeated queries from memory in well under a millisecond.",
    "Elastic Load Balancing checks the health of the servers and stops sending traffic to broken ones.",
    "Auto Scaling keeps the number of EC2 instances in line with demand.",
    "Containers on Fargate start in seconds and need no patching of hosts.",
    "Kubernetes on EKS reschedules pods when a node is lost, and Karpenter adds nodes when pods are pending.",
    "Grant least privilege with IAM policies that name the exact actions and resources.",
    "Customer managed KMS keys allow you to control who may decrypt the data and to audit each use.",
    "CloudWatch dashboards and alarms tell the operators early when latency or errors rise.",
    "Every call to the AWS API is logged by CloudTrail, which makes investigations possible.",
    "EventBridge rules filter events and pass them to targets like Lambda, SQS or Step Functions.",
    "A Step Functions workflow retries failed steps and runs compensating actions if a step finally fails.",
    "Kinesis shards limit throughput, so watch the iterator age and add shards when consumers lag behind.",
    "Data Firehose converts incoming records to Parquet and delivers them to the data lake every few minutes.",
    "Athena is serverless, and partitioned columnar files make its queries both faster and cheaper.",
    "The Glue Data Catalog gives Athena, EMR and Redshift a common view of the tables.",
    "Redshift Serverless pauses when no queries run, which helps with unpredictable workloads.",
    "Route 53 health checks with failover records send users to the standby region when the primary is down.",
    "AWS WAF with rate-based rules keeps bots and floods away from the application.",
    "Users sign in with a Cognito user pool, and multi-factor authentication makes stolen passwords useless.",
    "Credentials belong in Secrets Manager, never in code, files or environment variables.",
    "Gateway endpoints for S3 and DynamoDB are free and keep traffic off the NAT gateway.",
    "Transit Gateway route tables separate production from development networks.",
    "Two Direct Connect links at different locations protect the hybrid network against the loss of one.",
    "AWS IoT Core authenticates each device with its own certificate and keeps its last state in a device shadow.",
    "OpenSearch Service is suited to searching and filtering large amounts of text.",
    "Foundation models in Bedrock can be grounded on company documents by retrieval-augmented generation.",
    "Shared files belong on EFS, so that web servers stay stateless and can be replaced at any time.",
    "Objects that are rarely read should move to S3 Glacier by a lifecycle policy after some months.",
    "Development environments should be stopped at night and on weekends to save money.",
    "Unattached EBS volumes, idle load balancers and unused Elastic IPs should be deleted.",
    "Place databases and application servers in private subnets and only the load balancer in public ones.",
    "Encrypt traffic with TLS and redirect HTTP to HTTPS.",
    "A single instance is a single point of failure; run at least two in different availability zones.",
    "An idempotency key stored with a conditional write prevents double processing.",
    "Timeouts, circuit breakers and bulkheads keep a failing dependency from dragging down the rest.",
    "Canary deployments with automatic rollback reduce the risk of a release.",
    "Turn on versioning and replication so that deleted or overwritten files can be recovered.",
    "Define recovery time and recovery point objectives first, then choose backup, pilot light or active-active.",
    "There are several aspects to consider here, and each of them deserves careful attention.",
    "As with any system, there are trade-offs between consistency, availability and cost.",
    "Logs should be structured, retained for a defined period and analyzed for anomalies.",
    "The recovery procedure has to be documented and rehearsed at least once a year.",
    "Caching is the cheapest way to scale reads, as long as slightly stale data is acceptable.",
    "Choose high-cardinality partition keys to avoid hot partitions and throttling.",
    "Long-running work should be moved out of the request path and reported back by a notification.",
)
"""Sentences that the rules were tuned on."""
HELD_OUT = (
    "The tide was out, and along the harbour wall a few anglers waited patiently for the evening.",
    "My aunt's garden had roses, beans and a bench from which the whole valley could be seen.",
    "Trains between the two cities leave every half hour, and the restaurant car serves decent soup.",
    "Cloud computing turns capital expense into variable expense.",
    "Object storage is suited to backups, media and static assets because it is durable and inexpensive.",
    "Functions as a service bill by duration and memory and start in response to events.",
    "Key-value databases trade joins for predictable latency.",
    "A relational engine such as PostgreSQL enforces constraints and transactions.",
    "Edge caches shorten the distance between readers and content.",
    "Message queues smooth out bursts and keep services independent of one another.",
    "Topics copy a notification to every subscriber.",
    "Load balancers probe the health of targets and drain connections before a deployment.",
    "Container orchestration restarts crashed tasks and spreads them over hosts.",
    "Serverless containers remove the need to patch virtual machines.",
    "Workflow engines record the state of long processes and can wait for people.",
    "Streaming platforms retain records so that late consumers can catch up.",
    "Columnar formats shrink scans by reading only the columns that a query needs.",
    "Warehouses answer complicated aggregations over years of history.",
    "A data catalog describes tables so that several engines can share them.",
    "Envelope encryption protects data keys with a master key.",
    "Temporary credentials expire by themselves and are therefore preferable to static ones.",
    "Permission boundaries limit what a delegated administrator can hand out.",
    "Network segmentation confines an intruder to a small part of the estate.",
    "Private connectivity avoids the public internet and its unpredictable jitter.",
    "Web application firewalls inspect requests for known attack patterns.",
    "Audit trails must be kept where the people they concern cannot alter them.",
    "Amazon GuardDuty analyzes logs for signs of compromise.",
    "AWS Config records how resources change and evaluates them against rules.",
    "AWS Trusted Advisor points out idle resources and open ports.",
    "Amazon ECS runs containers, and Amazon EKS does so with Kubernetes.",
    "Amazon MSK is managed Kafka, while Amazon MQ is for existing brokers.",
    "Tag every resource with an owner and a cost center.",
    "Right-size instances after two weeks of measurements.",
    "Commit to Savings Plans only for the baseline of the load.",
    "Delete snapshots and volumes that nothing uses.",
    "Automate failover and rehearse it twice a year.",
    "Prefer managed services over self-operated software.",
    "Keep secrets out of source code and rotate them.",
    "Every alarm needs an owner and a runbook.",
    "Loose coupling, high cohesion, idempotency, observability, automation, least privilege, encryption, redundancy.",
    "In conclusion, a careful balance of cost, speed and resilience leads to the best outcome.",
    "There is no single right answer, and every organization has to weigh its own priorities.",
)
"""Sentences written after the rules were fixed."""


def variants(tier: str, item: DesignItem, answer: str, sentences: Sequence[str]) -> Iterator[tuple[str, str]]:
    """A sample of single sentences and of blocks."""
    rng = random.Random(f"201 {tier} {item.id}")
    for text in rng.sample(sentences, SINGLE):
        yield "a sentence", padded(answer, text, rng.randrange(3))
    for _ in range(BLOCKS):
        yield "a block", padded(answer, " ".join(rng.sample(sentences, BLOCK)), rng.randrange(3))


if __name__ == "__main__":
    try_all(partial(variants, sentences=TUNED if "--tune" in sys.argv else HELD_OUT))
