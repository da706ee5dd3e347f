try:
    from aws_cdk import core as cdk
except ImportError:
    import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
app = cdk.App(); s=cdk.Stack(app,"s"); s3.Bucket(s,"b"); app.synth()
