import os, sys
import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
os.makedirs("build", exist_ok=True)
app = cdk.App(); s = cdk.Stack(app, "S")
lambda_.Function(s, "F", runtime=lambda_.Runtime.PYTHON_3_12, handler="index.handler",
    code=lambda_.Code.from_custom_command("build", ["python3", "-c", "open('build/index.py','w').write('x=1')"]))
app.synth()
