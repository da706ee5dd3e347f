from __future__ import annotations
from dataclasses import dataclass, field
import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
@dataclass(frozen=True)
class C:
    name: str = "x"
    tags: dict[str,str] = field(default_factory=dict)
app = cdk.App(); s=cdk.Stack(app,C().name); s3.Bucket(s,"b"); app.synth()
