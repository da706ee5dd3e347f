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
    kept = name in ("db", "journal")
    volume = ec2.Volume(
        stack,
        name,
        availability_zone=f"{stack.region}a",
        volume_type=ec2.EbsDeviceVolumeType[kind.upper()],
        size=cdk.Size.gibibytes(size),
        iops=iops or (3000 if kind == "gp3" else None),
        throughput=throughput,
        encrypted=True,
        encryption_key=key,
        removal_policy=cdk.RemovalPolicy.SNAPSHOT if kept else cdk.RemovalPolicy.DESTROY,
    )
    cdk.Tags.of(volume).add("Name", name)

app.synth()
