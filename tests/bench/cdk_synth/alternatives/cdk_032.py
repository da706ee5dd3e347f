"""The schema by the level-1 construct, the data source with a role written by hand."""

import aws_cdk as cdk
from aws_cdk import aws_appsync as appsync
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam

SCHEMA = """
type Book { isbn: ID! title: String! }
type Query { book(isbn: ID!): Book }
type Mutation { addBook(isbn: ID!, title: String!): Book }
"""
CODE = "export function request(ctx) { return {}; }\nexport function response(ctx) { return ctx.result; }\n"

app = cdk.App()
stack = cdk.Stack(app, "Library")
table = dynamodb.Table(
    stack,
    "Table",
    partition_key=dynamodb.Attribute(name="isbn", type=dynamodb.AttributeType.STRING),
    billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
)
log_role = iam.Role(stack, "LogRole", assumed_by=iam.ServicePrincipal("appsync.amazonaws.com"))
api = appsync.CfnGraphQLApi(
    stack,
    "Api",
    name="library",
    authentication_type="AWS_IAM",
    xray_enabled=True,
    log_config={"fieldLogLevel": "ERROR", "cloudWatchLogsRoleArn": log_role.role_arn},
)
appsync.CfnGraphQLSchema(stack, "Schema", api_id=api.attr_api_id, definition=SCHEMA)
role = iam.Role(stack, "SourceRole", assumed_by=iam.ServicePrincipal("appsync.amazonaws.com"))
table.grant_read_write_data(role)
appsync.CfnDataSource(
    stack,
    "Source",
    api_id=api.attr_api_id,
    name="books",
    type="AMAZON_DYNAMODB",
    service_role_arn=role.role_arn,
    dynamo_db_config={"awsRegion": stack.region, "tableName": table.table_name},
)
for kind, field in (("Query", "book"), ("Mutation", "addBook")):
    appsync.CfnResolver(
        stack,
        f"{kind}Resolver",
        api_id=api.attr_api_id,
        type_name=kind,
        field_name=field,
        data_source_name="books",
        kind="UNIT",
        code=CODE,
        runtime={"name": "APPSYNC_JS", "runtimeVersion": "1.0.0"},
    )
app.synth()
