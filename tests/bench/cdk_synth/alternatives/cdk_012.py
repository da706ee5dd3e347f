"""The user pool authorizer instead of the generic one."""

from aws_cdk import App, Stack
from aws_cdk import aws_apigatewayv2 as apigw
from aws_cdk import aws_cognito as cognito
from aws_cdk import aws_lambda as _lambda
from aws_cdk.aws_apigatewayv2_authorizers import HttpUserPoolAuthorizer
from aws_cdk.aws_apigatewayv2_integrations import HttpLambdaIntegration

app = App()
stack = Stack(app, "Profile")
pool = cognito.UserPool(stack, "Pool")
client = cognito.UserPoolClient(stack, "Client", user_pool=pool)
fn = _lambda.Function(
    stack,
    "Fn",
    runtime=_lambda.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=_lambda.Code.from_inline("def handler(event, context): return {}"),
)
api = apigw.HttpApi(
    stack,
    "Api",
    cors_preflight={"allow_origins": ["https://app.example.com"], "allow_methods": [apigw.CorsHttpMethod.GET]},
    default_authorizer=HttpUserPoolAuthorizer("Auth", pool, user_pool_clients=[client]),
)
api.add_routes(path="/profile", methods=[apigw.HttpMethod.GET], integration=HttpLambdaIntegration("Int", fn))
app.synth()
