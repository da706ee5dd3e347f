import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_fsx as fsx
from aws_cdk import aws_s3 as s3

BACKUPS, DAILY, SUNDAY = 14, "22:30", "7:04:00"
KIB = 1024

app = cdk.App()
stack = cdk.Stack(app, "Files")
vpc = ec2.CfnVPC(stack, "Vpc", cidr_block="10.7.0.0/16")
first, second = (
    ec2.CfnSubnet(
        stack,
        f"Subnet{number}",
        vpc_id=vpc.ref,
        cidr_block=f"10.7.{number}.0/24",
        availability_zone=cdk.Fn.select(number, cdk.Fn.get_azs()),
    )
    for number in range(2)
)
bucket = s3.Bucket(stack, "Bucket")

zfs = fsx.CfnFileSystem(
    stack,
    "Zfs",
    file_system_type="OPENZFS",
    storage_capacity=3 * (768 + 256),
    subnet_ids=[first.ref],
    open_zfs_configuration=fsx.CfnFileSystem.OpenZFSConfigurationProperty(
        deployment_type="SINGLE_AZ_2",
        throughput_capacity=320,
        disk_iops_configuration=fsx.CfnFileSystem.DiskIopsConfigurationProperty(mode="USER_PROVISIONED", iops=12000),
        automatic_backup_retention_days=BACKUPS,
        daily_automatic_backup_start_time=DAILY,
        weekly_maintenance_start_time=SUNDAY,
    ),
)
fsx.CfnVolume(
    stack,
    "Raw",
    name="raw",
    volume_type="OPENZFS",
    open_zfs_configuration=fsx.CfnVolume.OpenZFSConfigurationProperty(
        parent_volume_id=zfs.attr_root_volume_id,
        record_size_kib=1024,
        data_compression_type="ZSTD",
        storage_capacity_reservation_gib=768,
        storage_capacity_quota_gib=1536,
        nfs_exports=[
            fsx.CfnVolume.NfsExportsProperty(
                client_configurations=[
                    fsx.CfnVolume.ClientConfigurationsProperty(clients="10.7.0.0/16", options=["rw", "crossmnt"])
                ]
            )
        ],
    ),
)
fsx.CfnVolume(
    stack,
    "Notes",
    name="notes",
    volume_type="OPENZFS",
    open_zfs_configuration=fsx.CfnVolume.OpenZFSConfigurationProperty(
        parent_volume_id=zfs.attr_root_volume_id,
        record_size_kib=16,
        data_compression_type="LZ4",
        storage_capacity_reservation_gib=256,
        user_and_group_quotas=[
            fsx.CfnVolume.UserAndGroupQuotasProperty(id=1001, storage_capacity_quota_gib=50, type="USER"),
            fsx.CfnVolume.UserAndGroupQuotasProperty(id=2000, storage_capacity_quota_gib=256, type="GROUP"),
        ],
    ),
)

ontap = fsx.CfnFileSystem(
    stack,
    "Ontap",
    file_system_type="ONTAP",
    storage_capacity=2048,
    subnet_ids=[first.ref, second.ref],
    ontap_configuration=fsx.CfnFileSystem.OntapConfigurationProperty(
        deployment_type="MULTI_AZ_1",
        preferred_subnet_id=first.ref,
        throughput_capacity=256,
        automatic_backup_retention_days=BACKUPS,
        daily_automatic_backup_start_time=DAILY,
        weekly_maintenance_start_time=SUNDAY,
    ),
)
lab = fsx.CfnStorageVirtualMachine(
    stack, "Lab", file_system_id=ontap.ref, name="lab", root_volume_security_style="UNIX"
)
fsx.CfnVolume(
    stack,
    "Db",
    name="db",
    volume_type="ONTAP",
    ontap_configuration=fsx.CfnVolume.OntapConfigurationProperty(
        storage_virtual_machine_id=lab.ref,
        junction_path="/db",
        size_in_megabytes=str(750 * KIB),
        storage_efficiency_enabled="true",
        tiering_policy=fsx.CfnVolume.TieringPolicyProperty(name="AUTO", cooling_period=45),
    ),
)


def period(kind: str, value: int) -> fsx.CfnVolume.RetentionPeriodProperty:
    return fsx.CfnVolume.RetentionPeriodProperty(type=kind, value=value)


fsx.CfnVolume(
    stack,
    "Ledger",
    name="ledger",
    volume_type="ONTAP",
    ontap_configuration=fsx.CfnVolume.OntapConfigurationProperty(
        storage_virtual_machine_id=lab.ref,
        junction_path="/ledger",
        size_in_megabytes=str(120 * KIB),
        storage_efficiency_enabled="false",
        tiering_policy=fsx.CfnVolume.TieringPolicyProperty(name="NONE"),
        snaplock_configuration=fsx.CfnVolume.SnaplockConfigurationProperty(
            snaplock_type="COMPLIANCE",
            autocommit_period=fsx.CfnVolume.AutocommitPeriodProperty(type="HOURS", value=12),
            retention_period=fsx.CfnVolume.SnaplockRetentionPeriodProperty(
                default_retention=period("YEARS", 7),
                minimum_retention=period("DAYS", 30),
                maximum_retention=period("YEARS", 10),
            ),
        ),
    ),
)

lustre = fsx.CfnFileSystem(
    stack,
    "Lustre",
    file_system_type="LUSTRE",
    storage_capacity=4800,
    storage_type="SSD",
    subnet_ids=[first.ref],
    lustre_configuration=fsx.CfnFileSystem.LustreConfigurationProperty(
        deployment_type="PERSISTENT_2",
        per_unit_storage_throughput=250,
        data_compression_type="LZ4",
        metadata_configuration=fsx.CfnFileSystem.MetadataConfigurationProperty(mode="USER_PROVISIONED", iops=6000),
        automatic_backup_retention_days=BACKUPS,
        daily_automatic_backup_start_time=DAILY,
        weekly_maintenance_start_time=SUNDAY,
    ),
)
fsx.CfnDataRepositoryAssociation(
    stack,
    "Results",
    file_system_id=lustre.ref,
    file_system_path="/results",
    data_repository_path=f"s3://{bucket.bucket_name}/results",
    batch_import_meta_data_on_create=True,
    imported_file_chunk_size=1024,
    s3=fsx.CfnDataRepositoryAssociation.S3Property(
        auto_import_policy=fsx.CfnDataRepositoryAssociation.AutoImportPolicyProperty(
            events=["NEW", "CHANGED", "DELETED"]
        ),
        auto_export_policy=fsx.CfnDataRepositoryAssociation.AutoExportPolicyProperty(events=["NEW", "CHANGED"]),
    ),
)

app.synth()
