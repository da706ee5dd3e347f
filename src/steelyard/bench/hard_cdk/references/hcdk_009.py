import aws_cdk as cdk
from aws_cdk import aws_iam as iam

app = cdk.App()
stack = cdk.Stack(app, "Edge")
role = iam.Role(stack, "Role", role_name="edge-operator", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"))


def allow(actions: list[str], *resources: str, conditions: dict[str, dict[str, object]] | None = None) -> None:
    role.add_to_policy(iam.PolicyStatement(actions=actions, resources=list(resources), conditions=conditions))


allow(
    ["route53:ChangeResourceRecordSets"],
    "arn:aws:route53:::hostedzone/Z04ACME7XKQ2M",
    conditions={
        "ForAllValues:StringEquals": {
            "route53:ChangeResourceRecordSetsNormalizedRecordNames": "_acme-challenge.shop.example.com",
            "route53:ChangeResourceRecordSetsRecordTypes": "TXT",
            "route53:ChangeResourceRecordSetsActions": "UPSERT",
        }
    },
)
allow(
    ["route53:AssociateVPCWithHostedZone"],
    "arn:aws:route53:::hostedzone/Z09PRIVATE4T7",
    conditions={"ForAllValues:StringEquals": {"route53:VPCs": "VPCId=vpc-0a1b2c3d4e5f67890,VPCRegion=eu-west-1"}},
)
allow(["cloudfront:AssociateAlias"], "arn:aws:cloudfront::111122223333:distribution/E2SHOPQWERTYUI")
allow(["cloudfront:UpdateRealtimeLogConfig"], "arn:aws:cloudfront::111122223333:realtime-log-config/sampled")
allow(
    ["cloudfront-keyvaluestore:GetKey", "cloudfront-keyvaluestore:PutKey"],
    "arn:aws:cloudfront::111122223333:key-value-store/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36",
)
allow(
    ["wafv2:UpdateIPSet", "wafv2:GetIPSet"],
    "arn:aws:wafv2:us-east-1:111122223333:global/ipset/blocked/7a1b9c3d-2e4f-4a6b-8c0d-1e2f3a4b5c6d",
)
allow(["apigateway:DELETE"], "arn:aws:apigateway:eu-west-1::/apis/h77p4p1k2m/stages/beta/cache/authorizers")
allow(["apigateway:PATCH"], "arn:aws:apigateway:eu-west-1::/apis/h77p4p1k2m/stages/beta")
allow(
    ["execute-api:ManageConnections"], "arn:aws:execute-api:eu-west-1:111122223333:w5s0ck3tqq/push/POST/@connections/*"
)
allow(
    ["route53-recovery-cluster:UpdateRoutingControlState"],
    "arn:aws:route53-recovery-control::111122223333:controlpanel/0a1b2c3d4e5f60718293a4b5c6d7e8f9/routingcontrol/f1e2d3c4b5a60718",
    conditions={"Bool": {"route53-recovery-cluster:AllowSafetyRulesOverrides": "false"}},
)
allow(
    ["arc-zonal-shift:StartZonalShift", "arc-zonal-shift:CancelZonalShift"],
    "arn:aws:elasticloadbalancing:eu-west-1:111122223333:loadbalancer/app/front/50dc6c495c0c9188",
)
allow(
    ["globalaccelerator:UpdateEndpointGroup"],
    "arn:aws:globalaccelerator::111122223333:accelerator/0f3c8a52-6b1d-4e7f-9a20-5d8e1c4b7f36/listener/0a1b2c3d/endpoint-group/e4d5c6b7a890",
)
allow(
    ["vpc-lattice-svcs:Invoke"],
    "arn:aws:vpc-lattice:eu-west-1:111122223333:service/svc-0a1b2c3d4e5f67890/price/*",
    conditions={"StringEquals": {"vpc-lattice-svcs:RequestMethod": "GET"}},
)
allow(["shield:AssociateHealthCheck"], "arn:aws:shield::111122223333:protection/7a1b9c3d-2e4f-4a6b-8c0d-1e2f3a4b5c6d")
allow(
    ["vpc-lattice:UpdateRule"],
    "arn:aws:vpc-lattice:eu-west-1:111122223333:service/svc-0a1b2c3d4e5f67890/listener/listener-0a1b2c3d4e5f67890/rule/rule-0a1b2c3d4e5f67890",
)
allow(
    ["vpc-lattice:CreateServiceNetworkServiceAssociation"],
    "arn:aws:vpc-lattice:eu-west-1:111122223333:service/svc-0a1b2c3d4e5f67890",
    "arn:aws:vpc-lattice:eu-west-1:111122223333:servicenetwork/sn-0a1b2c3d4e5f67890",
    "arn:aws:vpc-lattice:eu-west-1:111122223333:servicenetworkserviceassociation/*",
)
allow(
    ["route53resolver:UpdateFirewallRule"],
    "arn:aws:route53resolver:eu-west-1:111122223333:firewall-rule-group/rslvr-frg-0123456789abcdef",
    "arn:aws:route53resolver:eu-west-1:111122223333:firewall-domain-list/rslvr-fdl-0123456789abcdef",
)
allow(
    ["networkmanager:AssociateLink"],
    "arn:aws:networkmanager::111122223333:global-network/global-network-0a1b2c3d4e5f67890",
    "arn:aws:networkmanager::111122223333:device/global-network-0a1b2c3d4e5f67890/device-33334444",
    "arn:aws:networkmanager::111122223333:link/global-network-0a1b2c3d4e5f67890/link-11112222",
)
allow(["route53:TestDNSAnswer"], "*")
allow(["cloudfront:UpdateKeyGroup"], "*")
allow(["wafv2:GetDecryptedAPIKey"], "*")
allow(["globalaccelerator:WithdrawByoipCidr"], "*")
allow(["ec2:DeleteSubnetCidrReservation"], "*")
allow(["shield:EnableApplicationLayerAutomaticResponse"], "*")

app.synth()
