import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms

app = cdk.App()
stack = cdk.Stack(app, "Archive")
key = kms.Key(stack, "Key")
role = iam.Role(stack, "Role", role_name="archivist", assumed_by=iam.ServicePrincipal("ecs-tasks.amazonaws.com"))


def allow(actions: list[str], *resources: str, conditions: dict[str, dict[str, object]] | None = None) -> None:
    role.add_to_policy(iam.PolicyStatement(actions=actions, resources=list(resources), conditions=conditions))


allow(["kms:CreateAlias"], "arn:aws:kms:eu-west-1:111122223333:alias/reels-current")
allow(
    ["s3:ListBucket", "s3:PutLifecycleConfiguration", "s3:PutBucketCORS", "s3:PutEncryptionConfiguration"],
    "arn:aws:s3:::cut-films",
)
allow(["s3:ListMultipartUploadParts", "s3:AbortMultipartUpload"], "arn:aws:s3:::cut-films/raw/*")
allow(["s3:GetObject"], "arn:aws:s3:eu-west-1:111122223333:accesspoint/screening/object/films/*")
allow(
    ["s3:ListBucket"],
    "arn:aws:s3:eu-west-1:111122223333:accesspoint/screening",
    conditions={"StringEquals": {"s3:prefix": "films/"}},
)
allow(
    ["s3express:CreateSession"],
    "arn:aws:s3express:eu-west-1:111122223333:bucket/frames--euw1-az1--x-s3",
    conditions={"StringEquals": {"s3express:SessionMode": "ReadOnly"}},
)
allow(
    ["s3tables:GetTableData", "s3tables:GetTableMetadataLocation"],
    "arn:aws:s3tables:eu-west-1:111122223333:bucket/ledger/table/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36",
)
allow(
    ["s3vectors:QueryVectors", "s3vectors:GetVectors"],
    "arn:aws:s3vectors:eu-west-1:111122223333:bucket/scenes/index/faces",
)
allow(["s3:SubmitMultiRegionAccessPointRoutes"], "arn:aws:s3::111122223333:accesspoint/mfzwi23gnjvgw.mrap")
allow(["s3:UpdateJobStatus"], "arn:aws:s3:eu-west-1:111122223333:job/7a1b9c3d-2e4f-4a6b-8c0d-1e2f3a4b5c6d")
allow(
    ["elasticfilesystem:ClientMount", "elasticfilesystem:ClientWrite"],
    "arn:aws:elasticfilesystem:eu-west-1:111122223333:file-system/fs-0a1b2c3d",
    conditions={
        "StringEquals": {
            "elasticfilesystem:AccessPointArn": "arn:aws:elasticfilesystem:eu-west-1:111122223333:access-point/fsap-0a1b2c3d"
        }
    },
)
allow(
    ["fsx:CreateDataRepositoryTask"],
    "arn:aws:fsx:eu-west-1:111122223333:file-system/fs-0123456789abcdef0",
    "arn:aws:fsx:eu-west-1:111122223333:task/*",
)
allow(
    ["fsx:RestoreVolumeFromSnapshot"],
    "arn:aws:fsx:eu-west-1:111122223333:volume/fs-0123456789abcdef0/fsvol-0a1b2c3d4e5f67890",
    "arn:aws:fsx:eu-west-1:111122223333:snapshot/fsvol-0a1b2c3d4e5f67890/fsvolsnap-0a1b2c3d4e5f67890",
)
allow(
    ["storagegateway:RetrieveTapeArchive"],
    "arn:aws:storagegateway:eu-west-1:111122223333:gateway/sgw-12A3456B",
    "arn:aws:storagegateway:eu-west-1:111122223333:tape/TAPE01A2B3",
)
allow(["storagegateway:RefreshCache"], "arn:aws:storagegateway:eu-west-1:111122223333:share/share-1A2B3C4D")
allow(["transfer:StartFileTransfer"], "arn:aws:transfer:eu-west-1:111122223333:connector/c-1111aaaa2222bbbb3")
allow(["transfer:ImportSshPublicKey"], "arn:aws:transfer:eu-west-1:111122223333:user/s-1111aaaa2222bbbb3/press")
allow(
    ["datasync:CancelTaskExecution"], "arn:aws:datasync:eu-west-1:111122223333:task/task-0a1b2c3d4e5f67890/execution/*"
)
allow(
    ["mediaconvert:CreateJob"],
    "arn:aws:mediaconvert:eu-west-1:111122223333:queues/rush",
    "arn:aws:mediaconvert:eu-west-1:111122223333:jobTemplates/house",
)
allow(
    ["iam:PassRole"],
    "arn:aws:iam::111122223333:role/render",
    conditions={"StringEquals": {"iam:PassedToService": "mediaconvert.amazonaws.com"}},
)
allow(["medialive:BatchUpdateSchedule"], "arn:aws:medialive:eu-west-1:111122223333:channel:1234567")
allow(
    ["mediaconnect:StartFlow"], "arn:aws:mediaconnect:eu-west-1:111122223333:flow:1-23aBC45dEF67hiJ8-12AbC34DE5fG:feed"
)
allow(
    ["mediapackagev2:ResetChannelState"], "arn:aws:mediapackagev2:eu-west-1:111122223333:channelGroup/news/channel/one"
)
allow(["mediatailor:UpdateProgram"], "arn:aws:mediatailor:eu-west-1:111122223333:program/night/film")
allow(["ivs:PutMetadata"], "arn:aws:ivs:eu-west-1:111122223333:channel/AbCdEf123456")
allow(["ivschat:CreateChatToken"], "arn:aws:ivschat:eu-west-1:111122223333:room/XyZ987654321")
allow(["ivs:CreateParticipantToken"], "arn:aws:ivs:eu-west-1:111122223333:stage/StAgE0a1b2c3")
allow(["s3:GetAccessPoint"], "*")
allow(["storagegateway:DeleteTapeArchive"], "*")
allow(["transfer:UpdateAccess", "transfer:ImportCertificate"], "*")
allow(["rekognition:GetFaceSearch"], "*")
allow(["polly:GetSpeechSynthesisTask"], "*")
allow(["s3:GetStorageLensDashboard"], "arn:aws:s3:eu-west-1:111122223333:storage-lens/whole")
allow(["s3:PutStorageLensConfiguration"], "*")
allow(["mediatailor:CreateProgram", "mediatailor:CreateVodSource", "mediatailor:PutPlaybackConfiguration"], "*")
allow(["mediaconvert:Probe"], "*")
allow(["backup:StopBackupJob", "backup:GetRestoreJobMetadata"], "*")
allow(["translate:StopTextTranslationJob"], "*")
allow(["kms:Decrypt"], key.key_arn, conditions={"StringEquals": {"kms:ViaService": "s3.eu-west-1.amazonaws.com"}})
allow(["kms:CreateAlias"], key.key_arn)

app.synth()
