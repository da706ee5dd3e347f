"""Answers that try to score without answering (threats 6 to 14)."""

from __future__ import annotations

import random

from steelyard.bench.architecture_design.embedded import GENERIC
from steelyard.bench.architecture_design.heuristic.corpus import task_text
from steelyard.bench.architecture_design.heuristic.services import vocabulary
from steelyard.bench.architecture_design.model import DesignItem, Signals
from steelyard.bench.architecture_design.scorer import rubric
from steelyard.judge.prompt import rubric_prompt

BUZZWORDS = (
    "scalability, high availability, multi-AZ, encryption at rest, KMS, least privilege, IAM role, monitoring, alarm, "
    "caching, TTL, auto scaling, target tracking, decoupling, queue, dead-letter queue, retry, backoff, idempotent, "
    "asynchronous, event-driven, serverless, pay per use, on-demand, lifecycle, Glacier, Parquet, partition, shard, "
    "read replica, failover, backup, snapshot, point-in-time recovery, private subnet, security group, VPC endpoint, "
    "TLS, certificate, WAF, rate limit, token, JWT, presigned URL, savings plan, spot, reserved, latency, throughput, "
    "ordering, duplicates, load test, p99"
)
NAMES = sorted(vocabulary().services)
LIST_OF_NAMES = ", ".join(NAMES)
NAMES_FOR_WORDS = " ".join(
    f"Use {name} for {word}." for name, word in zip(NAMES, BUZZWORDS.split(", ") * 4, strict=False)
)
TEXTBOOK = (
    "CloudFront is the CDN that caches static content at the edge close to users. S3 stores objects such as static "
    "files, images, backups and logs in a bucket. API Gateway receives the API requests, validates the token and "
    "routes them to Lambda. Lambda runs the business logic as functions on demand without servers. DynamoDB stores "
    "items in a table as a NoSQL key-value database with on-demand capacity. SQS is a queue that buffers messages and "
    "decouples producers from consumers, with retries and a dead-letter queue. SNS sends notifications by e-mail or "
    "SMS to subscribers of a topic. RDS is the relational database in private subnets with a Multi-AZ standby and read "
    "replicas. ElastiCache caches query results in Redis so that the database is relieved. The Application Load "
    "Balancer distributes HTTPS requests with a certificate from ACM across EC2 instances in an Auto Scaling group. "
    "Cognito signs users in with a user pool and issues JWT tokens. IAM roles with least privilege replace long-lived "
    "access keys. KMS encrypts data at rest. CloudWatch collects metrics and raises alarms. Kinesis Data Streams "
    "ingests events in order per shard and Firehose delivers batches to S3. Athena queries the data lake with SQL. "
    "Step Functions orchestrates the workflow with retries and compensation. EventBridge routes events to consumers. "
    "Route 53 resolves DNS names and fails over with health checks. WAF limits the rate and blocks bots. Use Savings "
    "Plans, Spot and lifecycle rules to Glacier to lower cost, and VPC endpoints instead of the NAT Gateway."
)
SOUPS = {
    "list of names": LIST_OF_NAMES,
    "names and buzzwords": f"This architecture uses {LIST_OF_NAMES} for {BUZZWORDS}.",
    "use X for Y": NAMES_FOR_WORDS,
    "textbook sentences": TEXTBOOK,
    "buzzwords": BUZZWORDS,
    "buzzwords joined": BUZZWORDS.replace(", ", " and the "),
}
"""One text each, the same for every task."""
FILLER = " ".join(GENERIC)
MASTER_KEYS = (":", ".", "Thought process:", "Solution", "Let's solve this step by step.", "I solved it.", "   ", "")
REFUSALS = ("I'm sorry, but I can't help with that.", "As a language model I cannot assess architectures.")


def prompt_echo(item: DesignItem) -> str:
    return task_text(item)


def prompt_in_pieces(item: DesignItem, *, drop: int = 0, shuffle: bool = False) -> str:
    """The prompt with every `drop`th word left out, or its words in random order."""
    words = [word for index, word in enumerate(task_text(item).split(), start=1) if not drop or index % drop]
    if shuffle:
        random.Random(7).shuffle(words)
    return " ".join(words)


def bare_list(item: DesignItem) -> str:
    """The expected elements by name: components, paths of flows, ids of findings."""
    expected = item.expected
    lines = [component.name for component in expected.components]
    lines += [" -> ".join(flow.path) for flow in expected.flows]
    lines += [finding.id.replace("-", " ") for finding in expected.findings]
    return "\n".join(f"- {line}" for line in lines)


def key_list(item: DesignItem) -> str:
    """The whole key in its own words."""
    expected = item.expected
    lines = [f"{component.name}: {component.role}" for component in expected.components]
    lines += [f"{flow.statement} {' -> '.join(flow.path)}" for flow in expected.flows]
    for finding in expected.findings:
        lines.append(finding.statement)
        lines += [finding.remedy.statement] if finding.remedy is not None else []
    return "\n".join(f"- {line}" for line in lines)


def key_words(item: DesignItem) -> str:
    """Names and all signals, in the order of the key."""
    expected = item.expected
    lines = [f"{component.name}: {_flat(component.signals)}" for component in expected.components]
    for finding in expected.findings:
        lines.append(_flat(finding.signals))
        lines += [_flat(finding.remedy.signals)] if finding.remedy is not None else []
    return "\n".join(f"- {line}" for line in lines)


def shuffled_key_words(item: DesignItem, joint: str = ", ") -> str:
    phrases = key_words(item).replace("- ", "").replace("\n", ", ").replace(": ", ", ").split(", ")
    random.Random(7).shuffle(phrases)
    return joint.join(phrases)


def key_as_json(item: DesignItem) -> str:
    return item.expected.model_dump_json(indent=1)


def rubric_echo(item: DesignItem) -> str:
    return rubric_prompt(rubric(item.metadata.subtype))


def threefold(answer: str, padding: str) -> str:
    """The answer, then as much padding as makes three times its length."""
    times = 2 * len(answer) // max(len(padding), 1) + 1
    return (answer + "\n\n" + (padding + "\n\n") * times)[: 3 * len(answer)]


def _flat(signals: Signals) -> str:
    return ", ".join(phrase for group in signals for phrase in group)
