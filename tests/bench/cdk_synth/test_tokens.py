"""Numbers of tokens in the warm synthesizer: an app sees its own, and a key that it was not given finds nothing."""

from __future__ import annotations

import json

import pytest

from steelyard.bench.cdk_synth.synthesizer.pool import Pool
from tests.waiting import HANG_S

from .test_synthesizer import BUCKET, HEAD, SPELLED, SYNTH, ask

MANY = HEAD + BUCKET + "for number in range(300):\n    cdk.Fn.ref(f'R{number}')\n" + SYNTH
UNKNOWN = """
double = struct.unpack('>d', bytes.fromhex('fbff') + number.to_bytes(6, 'big'))[0]
for key in (f'${{Token[TOKEN.{number}]}}', [f'#{{Token[TOKEN.{number}]}}'], double, str(double)):
    try:
        found.append((key, stack.resolve(key)))
    except RuntimeError as error:
        assert 'UnrecognizedTokenKey' in str(error) or 'unknown number Token' in str(error), error
"""
FROM_A_FILE = """
import json
from aws_cdk import cloudformation_include as include
value = VALUE
with open('part.json', 'w') as file:
    json.dump({'Resources': {'R': {'Type': 'A::B::C', 'Properties': {'Value': value}}}}, file)
include.CfnInclude(stack, 'Part', template_file='part.json')
"""
TAKING = (
    HEAD
    + """
import json
from aws_cdk import cloudformation_include as include
found = 0
for number in range(100_150, 100_300, 25):
    app = cdk.App()
    stack = cdk.Stack(app, 'S')
    with open('part.json', 'w') as file:
        properties = {'Value': '${Token[TOKEN.%d]}' % number}
        json.dump({'Resources': {'R': {'Type': 'A::B::C', 'Properties': properties}}}, file)
    try:
        include.CfnInclude(stack, 'Part', template_file='part.json')
        app.synth()
        found += 1
    except RuntimeError:
        pass
assert found
"""
    + HEAD
    + BUCKET
    + SYNTH
)
"""An app that names tokens of an app before it in a file, which reaches Node as it is."""
NAMED = (
    HEAD
    + BUCKET
    + """
from aws_cdk import aws_lambda
python = aws_lambda.Runtime.PYTHON_3_12
for name, made in {"App": app, "Stack": stack, "Bucket": bucket, "Runtime": python}.items():
    cdk.CfnOutput(stack, name, value=made.__jsii_ref__.ref)
"""
    + SYNTH
)
"""An app that puts the numbers of its objects into its template."""
SHARED = HEAD + BUCKET + "from aws_cdk import aws_lambda\nprint(aws_lambda.Runtime.PYTHON_3_12.name)\n" + SYNTH


def test_an_app_sees_the_object_numbers_of_a_node_of_its_own(pool: Pool) -> None:
    ask(pool, SHARED)  # has met the runtime before
    result = ask(pool, NAMED)
    assert result.finding is None and not result.confirmed, result.finding
    outputs = json.loads(result.files["S.template.json"])["Outputs"]
    # As with a Node that runs this app alone: it counts from 10,000.
    assert {name: output["Value"] for name, output in outputs.items()} == {
        "App": "aws-cdk-lib.App@10000",
        "Stack": "aws-cdk-lib.Stack@10001",
        "Bucket": "aws-cdk-lib.aws_s3.Bucket@10002",
        "Runtime": "aws-cdk-lib.aws_lambda.Runtime@10003",
    }


def test_an_app_reads_its_own_numbers_whatever_ran_before(pool: Pool) -> None:
    templates = set[str]()
    for code in (MANY, SPELLED, MANY, SPELLED):
        result = ask(pool, code)
        assert result.finding is None and not result.confirmed
        templates |= {result.files["S.template.json"]} if code == SPELLED else set()
    (template,) = templates
    outputs = {name: output["Value"] for name, output in json.loads(template)["Outputs"].items()}
    # The third token that the app sees is the one with number 2, and so on, in each of the forms.
    assert outputs == {
        "Text": "(Token[TOKEN.2])",
        "Number": "-1.8881545897087505E +289",  # -2**960 * (31/16 + 3/2**52), as the library encodes 3
        "List": "(Token[TOKEN.4])",
        "Cut": "${Token[TOKEN.5",
        "Error": "UnrecognizedTokenKey: Unrecognized token key: FOO.1",
        "Same": {"Ref": "R"},
    }


def test_a_key_finds_no_token_of_an_app_before(pool: Pool) -> None:
    ask(pool, MANY)
    # Small numbers are the app's own, of which it has seen none; real ones begin at 100,000.
    numbers = (0, 5, 99_999, 100_000, 100_010, 100_200, 2**47 + 100_200)
    loop = f"for number in {numbers}:" + UNKNOWN.replace("\n", "\n    ")
    code = HEAD + BUCKET + "import struct\nfound = []\n" + loop + "\nassert not found, found\n" + SYNTH
    result = ask(pool, code)
    assert result.finding is None and not result.confirmed, result.finding


@pytest.mark.parametrize("value", ["cdk.Fn.ref('B08E7C7AF')", "[cdk.Token.as_number({'Ref': 'B08E7C7AF'})][0]"])
def test_a_token_in_a_file_is_the_apps_own(pool: Pool, value: str) -> None:
    ask(pool, MANY)
    result = ask(pool, HEAD + BUCKET + FROM_A_FILE.replace("VALUE", value) + SYNTH)
    assert result.finding is None and not result.confirmed, result.finding
    resources = json.loads(result.files["S.template.json"])["Resources"]
    assert resources["R"]["Properties"] == {"Value": {"Ref": "B08E7C7AF"}}


def test_an_app_that_reaches_a_token_of_another_needs_a_fresh_kernel() -> None:
    # A kernel of its own: in one that has run other apps before, the tokens have other numbers.
    pool = Pool(kernels=1, control_share=0.0)
    try:
        pool.warm()
        kernel = pool._slots[0].kernel
        assert kernel is not None
        assert not kernel.run(MANY.encode(), HANG_S).foreign
        report = kernel.run(TAKING.encode(), HANG_S)
    finally:
        pool.close()
    assert report.failure is None and report.foreign
