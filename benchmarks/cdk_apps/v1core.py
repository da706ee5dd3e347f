from aws_cdk import core
import aws_cdk.aws_s3 as s3
class S(core.Stack):
    pass
app = core.App(); S(app,"s"); app.synth()
