import aws_cdk as cdk
from aws_cdk import aws_codebuild as codebuild
from aws_cdk import aws_codepipeline as codepipeline
from aws_cdk import aws_codepipeline_actions as actions
from aws_cdk import aws_s3 as s3
from constructs import Construct


class DeliveryStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        sources = s3.Bucket(
            self,
            "Sources",
            versioned=True,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        )
        project = codebuild.PipelineProject(
            self,
            "Test",
            environment=codebuild.BuildEnvironment(
                build_image=codebuild.LinuxBuildImage.STANDARD_7_0,
                compute_type=codebuild.ComputeType.SMALL,
            ),
            timeout=cdk.Duration.minutes(20),
            build_spec=codebuild.BuildSpec.from_object(
                {
                    "version": "0.2",
                    "phases": {"build": {"commands": ["python -m pytest", "python render.py > template.json"]}},
                    "artifacts": {"files": ["template.json"]},
                }
            ),
        )
        source_output = codepipeline.Artifact("Source")
        build_output = codepipeline.Artifact("Built")
        pipeline = codepipeline.Pipeline(
            self,
            "Pipeline",
            pipeline_type=codepipeline.PipelineType.V2,
            restart_execution_on_update=True,
        )
        pipeline.add_stage(
            stage_name="Source",
            actions=[
                actions.S3SourceAction(
                    action_name="Fetch", bucket=sources, bucket_key="source.zip", output=source_output
                )
            ],
        )
        pipeline.add_stage(
            stage_name="Build",
            actions=[
                actions.CodeBuildAction(
                    action_name="Test", project=project, input=source_output, outputs=[build_output]
                )
            ],
        )
        pipeline.add_stage(stage_name="Approve", actions=[actions.ManualApprovalAction(action_name="Release")])
        pipeline.add_stage(
            stage_name="Deploy",
            actions=[
                actions.CloudFormationCreateUpdateStackAction(
                    action_name="Deploy",
                    stack_name="storefront",
                    template_path=build_output.at_path("template.json"),
                    admin_permissions=False,
                )
            ],
        )


app = cdk.App()
DeliveryStack(app, "Delivery")
app.synth()
