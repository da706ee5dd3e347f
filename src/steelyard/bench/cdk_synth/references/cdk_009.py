import aws_cdk as cdk
from aws_cdk import aws_kms as kms
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct


class BrokerCredentialsStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        key = kms.Key(
            self,
            "SecretsKey",
            alias="alias/broker-secrets",
            description="Encrypts the credentials of the message broker",
            enable_key_rotation=True,
            removal_policy=cdk.RemovalPolicy.RETAIN,
        )
        secretsmanager.Secret(
            self,
            "BrokerCredentials",
            encryption_key=key,
            generate_secret_string=secretsmanager.SecretStringGenerator(
                secret_string_template='{"username": "broker"}',
                generate_string_key="password",
                password_length=32,
                exclude_punctuation=True,
            ),
        )


app = cdk.App()
BrokerCredentialsStack(app, "BrokerCredentials")
app.synth()
