import aws_cdk as cdk
from aws_cdk import aws_apigatewayv2 as apigatewayv2
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_cognito as cognito
from aws_cdk import aws_lambda as lambda_
from constructs import Construct


class ProfileApiStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        pool = cognito.UserPool(self, "Users", self_sign_up_enabled=False)
        client = pool.add_client("Web")
        function = lambda_.Function(
            self,
            "ProfileHandler",
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline("def handler(event, context):\n    return {'statusCode': 200}\n"),
        )
        authorizer = authorizers.HttpJwtAuthorizer(
            "Tokens",
            f"https://cognito-idp.{self.region}.amazonaws.com/{pool.user_pool_id}",
            jwt_audience=[client.user_pool_client_id],
        )
        api = apigatewayv2.HttpApi(
            self,
            "ProfileApi",
            cors_preflight=apigatewayv2.CorsPreflightOptions(
                allow_origins=["https://app.example.com"],
                allow_methods=[apigatewayv2.CorsHttpMethod.GET],
                allow_headers=["authorization"],
            ),
        )
        api.add_routes(
            path="/profile",
            methods=[apigatewayv2.HttpMethod.GET],
            integration=integrations.HttpLambdaIntegration("Profile", function),
            authorizer=authorizer,
        )


app = cdk.App()
ProfileApiStack(app, "ProfileApi")
app.synth()
