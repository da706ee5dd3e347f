import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_kms as kms

# Name → (type, GB, IOPS, MB/s); None is included or does not exist.
VOLUMES = {
    "db": ("gp3", 24, 12000, 300),  # 12000 IOPS need 24 GB
    "logs": ("gp3", 500, None, 200),
    "cold": ("st1", 6000, None, None),  # 240 MB/s
    "journal": ("io2", 100, 20000, None),  # beyond gp3
    "scratch": ("gp3", 8, 3600, 900),  # 900 MB/s need 3600 IOPS, and these 8 GB
}

app = cdk.App()
stack = cdk.Stack(app, "Volumes")
key = kms.Key(stack, "Key", enable_key_rotation=True)
for name, (kind, size, iops, throughput) in VOLUMES.items():
    volume = ec2.CfnVolume(
        stack,
        name.capitalize(),
        availability_zone=cdk.Fn.select(0, cdk.Fn.get_azs()),
        volume_type=kind,
        size=size,
        iops=iops,
        throughput=throughput,
        encrypted=True,
        kms_key_id=key.key_arn,
        tags=[cdk.CfnTag(key="Name", value=name)],
    )
    kept = name in ("db", "journal")
    volume.apply_removal_policy(cdk.RemovalPolicy.SNAPSHOT if kept else cdk.RemovalPolicy.DESTROY)

app.synth()
