import aws_cdk as cdk
from aws_cdk import aws_athena as athena
from aws_cdk import aws_glue as glue
from aws_cdk import aws_s3 as s3
from constructs import Construct


class SalesLakeStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        data = s3.Bucket(self, "Data", block_public_access=s3.BlockPublicAccess.BLOCK_ALL)
        results = s3.Bucket(
            self,
            "Results",
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            lifecycle_rules=[s3.LifecycleRule(expiration=cdk.Duration.days(7))],
        )
        database = glue.CfnDatabase(
            self,
            "Sales",
            catalog_id=self.account,
            database_input=glue.CfnDatabase.DatabaseInputProperty(name="sales"),
        )
        column = glue.CfnTable.ColumnProperty
        glue.CfnTable(
            self,
            "Orders",
            catalog_id=self.account,
            database_name=database.ref,
            table_input=glue.CfnTable.TableInputProperty(
                name="orders",
                table_type="EXTERNAL_TABLE",
                parameters={"classification": "parquet"},
                partition_keys=[column(name="day", type="date")],
                storage_descriptor=glue.CfnTable.StorageDescriptorProperty(
                    columns=[column(name="order_id", type="string"), column(name="total", type="decimal(12,2)")],
                    location=data.s3_url_for_object("orders/"),
                    input_format="org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
                    output_format="org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
                    serde_info=glue.CfnTable.SerdeInfoProperty(
                        serialization_library="org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"
                    ),
                ),
            ),
        )
        athena.CfnWorkGroup(
            self,
            "Analysts",
            name="analysts",
            work_group_configuration=athena.CfnWorkGroup.WorkGroupConfigurationProperty(
                enforce_work_group_configuration=True,
                bytes_scanned_cutoff_per_query=10 * 1024**3,
                result_configuration=athena.CfnWorkGroup.ResultConfigurationProperty(
                    output_location=results.s3_url_for_object("queries/"),
                    encryption_configuration=athena.CfnWorkGroup.EncryptionConfigurationProperty(
                        encryption_option="SSE_S3"
                    ),
                ),
            ),
        )


app = cdk.App()
SalesLakeStack(app, "SalesLake")
app.synth()
