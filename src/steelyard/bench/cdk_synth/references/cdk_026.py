import aws_cdk as cdk
from aws_cdk import aws_autoscaling as autoscaling
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_elasticloadbalancingv2 as elbv2
from aws_cdk import aws_iam as iam
from constructs import Construct


class WebFleetStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        vpc = ec2.Vpc(self, "Network", max_azs=2, nat_gateways=1)
        role = iam.Role(
            self,
            "InstanceRole",
            assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"),
            managed_policies=[iam.ManagedPolicy.from_aws_managed_policy_name("AmazonSSMManagedInstanceCore")],
        )
        fleet_group = ec2.SecurityGroup(self, "FleetGroup", vpc=vpc, description="Web fleet")
        user_data = ec2.UserData.for_linux()
        user_data.add_commands("dnf install -y nginx", "systemctl enable --now nginx")
        template = ec2.LaunchTemplate(
            self,
            "Template",
            instance_type=ec2.InstanceType.of(ec2.InstanceClass.T3, ec2.InstanceSize.SMALL),
            machine_image=ec2.MachineImage.latest_amazon_linux2023(),
            role=role,
            security_group=fleet_group,
            user_data=user_data,
            require_imdsv2=True,
        )
        fleet = autoscaling.AutoScalingGroup(
            self,
            "Fleet",
            vpc=vpc,
            vpc_subnets=ec2.SubnetSelection(subnet_type=ec2.SubnetType.PRIVATE_WITH_EGRESS),
            launch_template=template,
            min_capacity=2,
            max_capacity=6,
            health_checks=autoscaling.HealthChecks.with_additional_checks(
                additional_types=[autoscaling.AdditionalHealthCheckType.ELB],
                grace_period=cdk.Duration.minutes(2),
            ),
        )
        fleet.scale_on_cpu_utilization("Cpu", target_utilization_percent=50)

        balancer = elbv2.ApplicationLoadBalancer(self, "Balancer", vpc=vpc, internet_facing=True)
        listener = balancer.add_listener("Http", port=80)
        listener.add_targets("Web", port=80, targets=[fleet])


app = cdk.App()
WebFleetStack(app, "WebFleet")
app.synth()
