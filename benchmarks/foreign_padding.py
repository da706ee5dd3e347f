"""How often text from elsewhere raises the score of an architecture answer under the heuristic; none should.

    python benchmarks/foreign_padding.py [--held-out] [-v] [TIER …]

Whole blocks and single sentences that were written without any task in view are appended to labelled answers and
references, put first, or put after every sentence. The kinds in `HELD_OUT` were written before the rules of scorer
version 7 and first measured after them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from functools import partial

from padding_trials import TIERS, padded, try_all

from steelyard.bench.architecture_design.heuristic.services import vocabulary
from steelyard.bench.architecture_design.model import DesignItem

TUNED: Mapping[str, str] = {
    "marketing": (
        "Accelerate your digital journey with the broadest and deepest set of cloud capabilities on the planet. "
        "Millions of customers, from the fastest growing startups to the largest enterprises, trust us to lower "
        "costs, become more agile and innovate faster. Our proven global infrastructure delivers unmatched "
        "reliability, so that your teams can focus on what matters: delighting your customers. With pay-as-you-go "
        "pricing you never pay for idle capacity again, and with pre-built machine learning you turn data into "
        "insight in minutes instead of months. Security is our top priority, which is why the most demanding banks, "
        "hospitals and governments build on our platform. Scale from ten users to ten million without rewriting a "
        "line of code. Unlock the value of your data, break down silos, and empower every employee to make better "
        "decisions in real time. Get started today for free."
    ),
    "checklist": (
        "Do you know the recovery time objective and the recovery point objective of each workload? Are all backups "
        "encrypted and restored in a test at least once a quarter? Does every role follow least privilege, and are "
        "unused permissions removed? Is traffic encrypted in transit with TLS and data at rest with KMS? Are public "
        "buckets blocked at the level of the account? Do instances run in private subnets behind a load balancer in "
        "at least two availability zones? Is scaling automatic, and has it been tested under twice the expected "
        "load? Do alarms in CloudWatch reach a person on call? Are failed messages kept in a dead-letter queue and "
        "examined? Are deployments automated, small and reversible? Is there a budget with an alert, and are idle "
        "resources deleted? Do lifecycle rules move old objects to cheaper storage classes? Are queries cached "
        "where stale answers are acceptable? Are secrets rotated? Is every change to the infrastructure reviewed as "
        "code?"
    ),
    "restaurant": (
        "The kitchen opens at six, and by half past seven every table on the terrace is taken. Orders come in "
        "faster than the two cooks can work, so the waiters write the tickets on a board and the guests wait. The "
        "fish is delivered each morning from the harbour and kept on ice until it is needed. Payments are taken at "
        "the door, in cash or by card. On Saturdays a second grill is lit, which doubles what the kitchen can "
        "serve, because otherwise the queue would reach the street. If the bread runs out, a boy is sent to the "
        "bakery across the square."
    ),
    "match": (
        "In the second half the visitors pressed higher, and the home side lost the ball three times within ten "
        "minutes. The keeper saved a shot from 20 metres, but the rebound fell to the captain, who scored. Tickets "
        "for the final were sold out within an hour, although the stadium holds 60,000 fans. After the whistle the "
        "coach said that his players had failed to keep the ball when it mattered, and that he would train this "
        "every day until the next game."
    ),
    "services": ", ".join(sorted(vocabulary().services)) + ".",
    "some services": "Relevant services: EC2, S3, RDS, Lambda, DynamoDB, SQS, SNS, CloudFront, API Gateway, IAM.",
}
"""Kinds that were in view when the rules were chosen."""
HELD_OUT: Mapping[str, str] = {
    "flash cards": (
        "Which service decouples two tiers of an application? Amazon SQS, because messages wait in the queue until "
        "a worker takes them. What is the cheapest storage class for archives that are read once a year? S3 Glacier "
        "Deep Archive. How do you give an application on EC2 access to S3 without keys? Attach an IAM role to the "
        "instance. Which database fits a key-value workload with single-digit millisecond reads? DynamoDB, with "
        "on-demand capacity if the traffic is unpredictable. How does RDS survive the loss of a zone? With "
        "Multi-AZ, which keeps a standby that takes over automatically. What keeps repeated reads away from the "
        "database? ElastiCache, or DAX for DynamoDB. How do you serve a website to users around the world? Put "
        "CloudFront in front of a bucket. What limits how many requests a client may send? A usage plan in API "
        "Gateway, or a rate rule in WAF. How do you run a function when a file arrives? An S3 event triggers "
        "Lambda. What records who did what in the account? CloudTrail."
    ),
    "minutes": (
        "The team met on Tuesday to talk about the roadmap. Anna reported that the migration is on schedule and "
        "that two of the three servers have been moved. Ben asked who pays for the new environment; this is still "
        "open. The customers complain about slow pages in the evening, so the group agreed to measure response "
        "times for a week before anything is bought. Security wants the passwords changed every 90 days. Nobody "
        "objected. The next release was postponed until the tests pass. Carla will write the documentation, because "
        "the old one was lost when the wiki was switched off. The meeting ended after 50 minutes."
    ),
    "vendor": (
        "Our platform plugs into your existing data pipelines in minutes and streams every event to the dashboard "
        "of your choice. It encrypts customer records before they leave your network, deduplicates orders "
        "automatically, and retries failed deliveries with exponential backoff, so nothing is ever lost. Sensors, "
        "phones and cash registers connect over one secure gateway. Reports that took a night now finish before "
        "your coffee is cold, and invoices are paid on time. Thousands of shops, clinics, banks and logistics "
        "companies rely on us when traffic peaks. Because pricing follows usage, you save up to 70% compared with "
        "running your own cluster."
    ),
}
"""Kinds first measured after the rules were chosen."""
_SENTENCE = re.compile(r"(?<=[.!?]) +")


def variants(_tier: str, item: DesignItem, answer: str, kinds: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Per kind: the whole block, and one sentence of it, a different one for each task."""
    for kind, text in kinds.items():
        sentences = _SENTENCE.split(text)
        one = sentences[int(item.id[-3:]) % len(sentences)]
        yield from ((kind, padded(answer, text, way)) for way in range(3))
        if len(sentences) > 1:
            yield from ((f"{kind}, one", padded(answer, one, way)) for way in range(3))


if __name__ == "__main__":
    kinds = HELD_OUT if "--held-out" in sys.argv else TUNED
    tiers = [argument for argument in sys.argv[1:] if argument in TIERS] or TIERS
    try_all(partial(variants, kinds=kinds), tiers, told="-v" in sys.argv)
