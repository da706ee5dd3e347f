import aws_cdk as cdk
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_logs as logs
from aws_cdk import aws_wafv2 as wafv2
from constructs import Construct


class GuardedApiStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        api = apigateway.RestApi(
            self,
            "Api",
            endpoint_configuration=apigateway.EndpointConfiguration(types=[apigateway.EndpointType.REGIONAL]),
        )
        api.root.add_resource("status").add_method(
            "GET",
            apigateway.MockIntegration(
                request_templates={"application/json": '{"statusCode": 200}'},
                integration_responses=[apigateway.IntegrationResponse(status_code="200")],
            ),
            method_responses=[apigateway.MethodResponse(status_code="200")],
        )

        acl = wafv2.CfnWebACL(
            self,
            "Firewall",
            scope="REGIONAL",
            default_action=wafv2.CfnWebACL.DefaultActionProperty(allow={}),
            visibility_config=self._visibility("firewall"),
            rules=[
                self._managed("AWSManagedRulesCommonRuleSet", 0),
                self._managed("AWSManagedRulesKnownBadInputsRuleSet", 1),
                wafv2.CfnWebACL.RuleProperty(
                    name="rate-limit",
                    priority=2,
                    action=wafv2.CfnWebACL.RuleActionProperty(block={}),
                    visibility_config=self._visibility("rate-limit"),
                    statement=wafv2.CfnWebACL.StatementProperty(
                        rate_based_statement=wafv2.CfnWebACL.RateBasedStatementProperty(
                            limit=1000, aggregate_key_type="IP"
                        )
                    ),
                ),
            ],
        )
        wafv2.CfnWebACLAssociation(
            self,
            "FirewallOnApi",
            resource_arn=api.deployment_stage.stage_arn,
            web_acl_arn=acl.attr_arn,
        )
        log_group = logs.LogGroup(
            self,
            "FirewallLogs",
            log_group_name="aws-waf-logs-guarded-api",
            retention=logs.RetentionDays.THREE_MONTHS,
        )
        wafv2.CfnLoggingConfiguration(
            self,
            "FirewallLogging",
            resource_arn=acl.attr_arn,
            log_destination_configs=[
                self.format_arn(
                    service="logs",
                    resource="log-group",
                    resource_name=log_group.log_group_name,
                    arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME,
                )
            ],
        )

    @staticmethod
    def _visibility(name: str) -> wafv2.CfnWebACL.VisibilityConfigProperty:
        return wafv2.CfnWebACL.VisibilityConfigProperty(
            cloud_watch_metrics_enabled=True, sampled_requests_enabled=True, metric_name=name
        )

    def _managed(self, name: str, priority: int) -> wafv2.CfnWebACL.RuleProperty:
        return wafv2.CfnWebACL.RuleProperty(
            name=name,
            priority=priority,
            override_action=wafv2.CfnWebACL.OverrideActionProperty(none={}),
            visibility_config=self._visibility(name),
            statement=wafv2.CfnWebACL.StatementProperty(
                managed_rule_group_statement=wafv2.CfnWebACL.ManagedRuleGroupStatementProperty(
                    vendor_name="AWS", name=name
                )
            ),
        )


app = cdk.App()
GuardedApiStack(app, "GuardedApi")
app.synth()
