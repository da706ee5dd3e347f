"""Hostile apps against the real engine (docs/scoring.md §1.5). After each one a clean app passes with the same bytes.

All attacks run one after the other on one worker slot: what one leaves behind, the next clean app would show.
"""

from __future__ import annotations

import pytest

from steelyard.bench.cdk_synth.engine.pool import Pool
from tests.waiting import HANG_S

from .attacks import ATTACKS, HONEST, PASS, Attack

PATIENCE_S = 3600
"""No attack may hold the engine longer than this: two limits, two grace periods, three starts."""
CLEAN = (
    HONEST
    + """
import pathlib
from aws_cdk import aws_s3_assets as assets
pathlib.Path("stuff").mkdir()
pathlib.Path("stuff/file.txt").write_text("clean")
again = cdk.App()
other = cdk.Stack(again, "Other", env=cdk.Environment(account="123456789012", region="us-east-1"))
assets.Asset(other, "A", path="stuff")
site = s3.Bucket(other, "Site", website_index_document="index.html")
cdk.CfnOutput(other, "Endpoint", value=site.bucket_website_domain_name)
again.synth()
"""
)


@pytest.fixture(scope="module")
def clean(pool: Pool) -> dict[str, str]:
    return _clean_templates(pool)


def _clean_templates(pool: Pool) -> dict[str, str]:
    result = pool.submit(CLEAN.encode(), HANG_S).result()
    assert result.finding is None, result.finding
    return {name: text for name, text in result.files.items() if name.endswith(".template.json")}


@pytest.mark.slow
@pytest.mark.parametrize("attempt", ATTACKS, ids=lambda attempt: attempt.name)
def test_attack(attempt: Attack, pool: Pool, clean: dict[str, str]) -> None:
    result = pool.submit(attempt.code.encode(), attempt.timeout_s).result(PATIENCE_S)
    ended_in = PASS if result.finding is None else result.finding.klass
    assert ended_in in attempt.ends_in, result.finding
    assert _clean_templates(pool) == clean
