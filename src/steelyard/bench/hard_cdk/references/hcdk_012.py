import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Mart")
role = iam.Role(stack, "Role", role_name="mart-loader", assumed_by=iam.ServicePrincipal("glue.amazonaws.com"))


def allow(actions: list[str], *resources: str, conditions: dict[str, dict[str, object]] | None = None) -> None:
    role.add_to_policy(iam.PolicyStatement(actions=actions, resources=list(resources), conditions=conditions))


allow(
    ["athena:StartQueryExecution", "athena:GetQueryResults", "athena:GetNamedQuery"],
    "arn:aws:athena:eu-west-1:111122223333:workgroup/mart",
)
allow(
    ["glue:GetTable", "glue:GetPartitions"],
    "arn:aws:glue:eu-west-1:111122223333:catalog",
    "arn:aws:glue:eu-west-1:111122223333:database/sales",
    "arn:aws:glue:eu-west-1:111122223333:table/sales/orders",
)
allow(["lakeformation:GetDataAccess"], "*")
allow(
    ["glue:RegisterSchemaVersion"],
    "arn:aws:glue:eu-west-1:111122223333:registry/events",
    "arn:aws:glue:eu-west-1:111122223333:schema/events/order",
)
allow(
    ["redshift:GetClusterCredentials"],
    "arn:aws:redshift:eu-west-1:111122223333:dbuser:wh/etl",
    "arn:aws:redshift:eu-west-1:111122223333:dbname:wh/dw",
)
allow(["redshift:JoinGroup"], "arn:aws:redshift:eu-west-1:111122223333:dbgroup:wh/loaders")
allow(["redshift-data:ExecuteStatement"], "arn:aws:redshift:eu-west-1:111122223333:cluster:wh")
allow(
    ["redshift-data:GetStatementResult"],
    "*",
    conditions={"StringEquals": {"redshift-data:statement-owner-iam-userid": "${aws:userid}"}},
)
allow(["emr-serverless:StartJobRun"], "arn:aws:emr-serverless:eu-west-1:111122223333:/applications/00fabc123")
allow(
    ["emr-serverless:CancelJobRun"], "arn:aws:emr-serverless:eu-west-1:111122223333:/applications/00fabc123/jobruns/*"
)
allow(
    ["iam:PassRole"],
    "arn:aws:iam::111122223333:role/spark-run",
    conditions={"StringEquals": {"iam:PassedToService": "emr-serverless.amazonaws.com"}},
)
allow(
    ["emr-containers:StartJobRun"],
    "arn:aws:emr-containers:eu-west-1:111122223333:/virtualclusters/vc7x8y9z",
    conditions={"StringEquals": {"emr-containers:ExecutionRoleArn": "arn:aws:iam::111122223333:role/eks-spark"}},
)
allow(
    ["kafka-cluster:Connect", "kafka-cluster:WriteDataIdempotently"],
    "arn:aws:kafka:eu-west-1:111122223333:cluster/stream/e31dbab4-3fa1-4bd0-8c55-a44c8ce1fb6c-3",
)
allow(
    ["kafka-cluster:DescribeTopic", "kafka-cluster:ReadData"],
    "arn:aws:kafka:eu-west-1:111122223333:topic/stream/e31dbab4-3fa1-4bd0-8c55-a44c8ce1fb6c-3/orders",
)
allow(
    ["kafka-cluster:DescribeTopic", "kafka-cluster:WriteData"],
    "arn:aws:kafka:eu-west-1:111122223333:topic/stream/e31dbab4-3fa1-4bd0-8c55-a44c8ce1fb6c-3/totals",
)
allow(
    ["kafka-cluster:DescribeGroup", "kafka-cluster:AlterGroup"],
    "arn:aws:kafka:eu-west-1:111122223333:group/stream/e31dbab4-3fa1-4bd0-8c55-a44c8ce1fb6c-3/mart",
)
allow(
    ["kafka-cluster:DescribeTransactionalId", "kafka-cluster:AlterTransactionalId"],
    "arn:aws:kafka:eu-west-1:111122223333:transactional-id/stream/e31dbab4-3fa1-4bd0-8c55-a44c8ce1fb6c-3/mart-tx",
)
allow(["cassandra:Select"], "arn:aws:cassandra:eu-west-1:111122223333:/keyspace/shop/table/baskets")
allow(
    ["neptune-db:ReadDataViaQuery"],
    "arn:aws:neptune-db:eu-west-1:111122223333:cluster-NEPTUNE7ABCD/*",
    conditions={"StringEquals": {"neptune-db:QueryLanguage": "Gremlin"}},
)
allow(["rds-db:connect"], "arn:aws:rds-db:eu-west-1:111122223333:dbuser:cluster-AURORA7WXYZ/report")
allow(["rds-data:ExecuteStatement"], "arn:aws:rds:eu-west-1:111122223333:cluster:ledger")
allow(["secretsmanager:GetSecretValue"], "arn:aws:secretsmanager:eu-west-1:111122223333:secret:ledger-login-??????")
allow(
    ["elasticache:Connect"],
    "arn:aws:elasticache:eu-west-1:111122223333:replicationgroup:sess",
    "arn:aws:elasticache:eu-west-1:111122223333:user:reader",
)
allow(["dax:GetItem", "dax:Query"], "arn:aws:dax:eu-west-1:111122223333:cache/hot")
allow(["es:ESHttpGet"], "arn:aws:es:eu-west-1:111122223333:domain/search/orders/*")
allow(["aoss:APIAccessAll"], "arn:aws:aoss:eu-west-1:111122223333:collection/coll7abc9xyz")
allow(["osis:Ingest"], "arn:aws:osis:eu-west-1:111122223333:pipeline/clicks")
allow(
    ["dynamodb:DescribeStream", "dynamodb:GetShardIterator", "dynamodb:GetRecords"],
    "arn:aws:dynamodb:eu-west-1:111122223333:table/orders/stream/*",
)
allow(["dynamodb:ExportTableToPointInTime"], "arn:aws:dynamodb:eu-west-1:111122223333:table/orders")
allow(["dynamodb:DescribeExport"], "arn:aws:dynamodb:eu-west-1:111122223333:table/orders/export/*")
allow(
    ["dynamodb:PartiQLSelect"],
    "arn:aws:dynamodb:eu-west-1:111122223333:table/orders",
    conditions={"Bool": {"dynamodb:FullTableScan": "false"}},
)
allow(["quicksight:CreateIngestion"], "arn:aws:quicksight:eu-west-1:111122223333:dataset/d47a5e7/ingestion/*")
allow(["redshift:ModifyUsageLimit"], "arn:aws:redshift:eu-west-1:111122223333:usagelimit:l1m1t-abc")
allow(
    ["elasticache:ModifyUserGroup"],
    "arn:aws:elasticache:eu-west-1:111122223333:usergroup:staff",
    "arn:aws:elasticache:eu-west-1:111122223333:user:reader",
)
allow(["es:AssociatePackage"], "arn:aws:es:eu-west-1:111122223333:domain/search")
allow(
    ["dms:RefreshSchemas"],
    "arn:aws:dms:eu-west-1:111122223333:endpoint:ENDP0INT7",
    "arn:aws:dms:eu-west-1:111122223333:rep:REPL7",
)
allow(["glue:GetJobBookmark", "glue:ResetJobBookmark"], "*")
allow(["redshift-serverless:UpdateUsageLimit"], "*")
allow(["redshift:ModifyScheduledAction"], "*")
allow(["elasticmapreduce:DeleteSecurityConfiguration"], "*")
allow(["kafka:GetBootstrapBrokers"], "*")
allow(["rds:ModifyDBRecommendation"], "*")
allow(["dax:UpdateParameterGroup"], "*")
allow(["es:UpdatePackage"], "*")

app.synth()
