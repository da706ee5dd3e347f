import aws_cdk as cdk
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3

app = cdk.App()
stack = cdk.Stack(app, "Site")
key = kms.Key(stack, "Key")
bucket = s3.Bucket(
    stack,
    "Pages",
    encryption=s3.BucketEncryption.KMS,
    encryption_key=key,
    block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
    enforce_ssl=True,
)
control = cloudfront.CfnOriginAccessControl(
    stack,
    "Control",
    origin_access_control_config=cloudfront.CfnOriginAccessControl.OriginAccessControlConfigProperty(
        name="site",
        origin_access_control_origin_type="s3",
        signing_behavior="always",
        signing_protocol="sigv4",
    ),
)
distribution = cloudfront.CfnDistribution(
    stack,
    "Distribution",
    distribution_config={
        "enabled": True,
        "defaultRootObject": "index.html",
        "origins": [
            {
                "id": "pages",
                "domainName": bucket.bucket_regional_domain_name,
                "originAccessControlId": control.attr_id,
                "s3OriginConfig": {"originAccessIdentity": ""},
            }
        ],
        "defaultCacheBehavior": {
            "targetOriginId": "pages",
            "viewerProtocolPolicy": "redirect-to-https",
            "cachePolicyId": "658327ea-f89d-4fab-a63d-7e88639e58f6",
        },
    },
)
bucket.add_to_resource_policy(
    iam.PolicyStatement(
        principals=[iam.ServicePrincipal("cloudfront.amazonaws.com")],
        actions=["s3:GetObject"],
        resources=[bucket.arn_for_objects("*")],
        conditions={
            "ArnEquals": {
                "AWS:SourceArn": stack.format_arn(
                    service="cloudfront", region="", resource="distribution", resource_name=distribution.ref
                )
            }
        },
    )
)
key.add_to_resource_policy(
    iam.PolicyStatement(
        principals=[iam.ServicePrincipal("cloudfront.amazonaws.com")],
        actions=["kms:Decrypt", "kms:GenerateDataKey*"],
        resources=["*"],
        conditions={"StringLike": {"aws:SourceArn": f"arn:aws:cloudfront::{stack.account}:distribution/*"}},
    )
)

app.synth()
