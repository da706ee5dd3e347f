from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_appsync as appsync
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

SCHEMA = """
type Book {
  isbn: ID!
  title: String!
}

type Query {
  book(isbn: ID!): Book
}

type Mutation {
  addBook(isbn: ID!, title: String!): Book
}
"""

GET_BOOK = """
import { util } from '@aws-appsync/utils';
export function request(ctx) {
  return { operation: 'GetItem', key: util.dynamodb.toMapValues({ isbn: ctx.args.isbn }) };
}
export function response(ctx) {
  return ctx.result;
}
"""

ADD_BOOK = """
import { util } from '@aws-appsync/utils';
export function request(ctx) {
  return {
    operation: 'PutItem',
    key: util.dynamodb.toMapValues({ isbn: ctx.args.isbn }),
    attributeValues: util.dynamodb.toMapValues({ title: ctx.args.title }),
  };
}
export function response(ctx) {
  return ctx.result;
}
"""


class LibraryApiStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        schema = Path.cwd() / "schema.graphql"
        schema.write_text(SCHEMA)

        books = dynamodb.Table(
            self,
            "Books",
            partition_key=dynamodb.Attribute(name="isbn", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
        )
        api = appsync.GraphqlApi(
            self,
            "Library",
            name="library",
            definition=appsync.Definition.from_file(str(schema)),
            authorization_config=appsync.AuthorizationConfig(
                default_authorization=appsync.AuthorizationMode(authorization_type=appsync.AuthorizationType.IAM)
            ),
            log_config=appsync.LogConfig(field_log_level=appsync.FieldLogLevel.ERROR),
            xray_enabled=True,
        )
        source = api.add_dynamo_db_data_source("BooksSource", books)
        for type_name, field_name, code in (("Query", "book", GET_BOOK), ("Mutation", "addBook", ADD_BOOK)):
            source.create_resolver(
                f"{type_name}{field_name}",
                type_name=type_name,
                field_name=field_name,
                runtime=appsync.FunctionRuntime.JS_1_0_0,
                code=appsync.Code.from_inline(code),
            )


app = cdk.App()
LibraryApiStack(app, "LibraryApi")
app.synth()
