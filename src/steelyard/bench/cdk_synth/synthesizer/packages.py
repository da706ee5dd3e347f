"""The installed packages an app may import: aws-cdk-lib and its dependencies. All others are hidden, Steelyard too."""

from __future__ import annotations

import base64
import re
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from steelyard import toolchain
from steelyard.errors import ToolchainError, command
from steelyard.toolchain import integrity

ROOTS = ("aws-cdk-lib", "constructs")
_NAME = re.compile(r"[A-Za-z0-9._-]+")

MODULES: tuple[str, ...] = tuple(
    """aws_apigateway aws_apigatewayv2 aws_apigatewayv2_authorizers aws_apigatewayv2_integrations
    aws_applicationautoscaling aws_appsync aws_athena aws_autoscaling aws_backup aws_batch aws_bedrock aws_budgets
    aws_certificatemanager aws_cloudfront aws_cloudfront_origins aws_cloudtrail aws_cloudwatch aws_cloudwatch_actions
    aws_codebuild aws_codecommit aws_codedeploy aws_codepipeline aws_codepipeline_actions aws_cognito aws_config
    aws_dynamodb aws_ec2 aws_ecr aws_ecr_assets aws_ecs aws_ecs_patterns aws_efs aws_eks aws_elasticache
    aws_elasticloadbalancingv2 aws_elasticloadbalancingv2_targets aws_events aws_events_targets aws_fsx aws_glue
    aws_guardduty aws_iam aws_kinesis aws_kinesisfirehose aws_kms aws_lambda aws_lambda_destinations
    aws_lambda_event_sources aws_logs aws_msk aws_opensearchservice aws_pipes aws_rds aws_redshift aws_route53
    aws_route53_targets aws_s3 aws_s3_assets aws_s3_deployment aws_s3_notifications aws_sagemaker aws_scheduler
    aws_secretsmanager aws_servicediscovery aws_ses aws_sns aws_sns_subscriptions aws_sqs aws_ssm aws_stepfunctions
    aws_stepfunctions_tasks aws_synthetics aws_transfer aws_wafv2 cx_api custom_resources pipelines
    region_info""".split()  # noqa: SIM905 - eighty names read better as a paragraph
)
"""Submodules that have bytecode, and that a kernel imports when an app first names them."""

_AGAIN = ("pip", "install", "--force-reinstall", "--no-deps")


@dataclass(frozen=True, slots=True)
class Packages:
    """The packages bound into the sandbox."""

    entries: tuple[tuple[Path, str], ...]
    """(path on the host, name inside the package folder)."""
    versions: tuple[str, ...]
    """`name==version`, sorted."""
    distributions: tuple[metadata.Distribution, ...] = ()


def check(*, thorough: bool) -> None:
    """Raise with the cure if files of the packages are missing or changed; `thorough` compares more than sizes."""
    records = [(distribution, _recorded(distribution)) for distribution in installed().distributions]
    owners = Counter(path for _, record in records for path in record)
    for distribution, record in records:
        # Of a file that several packages bring, the one installed last is there.
        own = {path: known for path, known in record.items() if owners[path] == 1}
        # No file is newer than `sys.maxsize`, so that only sizes are compared.
        different = integrity.changed(own, since_ns=None if thorough else sys.maxsize)
        if problem := integrity.summary(different, Path(str(distribution.locate_file("")))):
            raise ToolchainError(
                f"the package {distribution.name} is damaged: {problem}",
                cure=command(*_AGAIN, f"{distribution.name}=={distribution.version}"),
            )


@cache
def _recorded(distribution: metadata.Distribution) -> dict[Path, integrity.File]:
    """The files that the installer recorded with a hash, without scripts outside the package folder."""

    def hexadecimal(digest: str) -> str:
        return base64.urlsafe_b64decode(digest + "=" * (-len(digest) % 4)).hex()  # recorded without padding

    return {
        Path(str(file.locate())): integrity.File(int(file.size), hexadecimal(file.hash.value))
        for file in distribution.files or ()
        if file.hash is not None and file.hash.mode == "sha256" and file.size is not None
        if file.parts[0] != ".." and not file.parts[0].endswith(".dist-info")
    }


@cache
def installed(roots: tuple[str, ...] = ROOTS) -> Packages:
    """`roots` and their dependencies, as far as they are installed."""
    toolchain.require("cdk", "aws_cdk", "constructs", "jsii", "cfnlint")
    distributions: dict[str, metadata.Distribution] = {}
    waiting = list(roots)
    while waiting:
        # One distribution is written in several ways (PEP 503).
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name not in distributions and (distribution := _distribution(name)) is not None:
            distributions[name] = distribution
            needed = [text for text in distribution.requires or () if "extra ==" not in text]
            waiting += [match[0] for text in needed if (match := _NAME.match(text))]
    entries = {entry[1]: entry for distribution in distributions.values() for entry in _entries(distribution)}
    versions = tuple(sorted(f"{name}=={distribution.version}" for name, distribution in distributions.items()))
    return Packages(tuple(entries[name] for name in sorted(entries)), versions, tuple(distributions.values()))


def _distribution(name: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None  # a requirement for another Python or platform


def _entries(distribution: metadata.Distribution) -> list[tuple[Path, str]]:
    """Top-level files and folders of one distribution."""
    names = {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}
    folder = Path(str(distribution.locate_file("")))
    return [(folder / name, name) for name in sorted(names) if (folder / name).exists()]
