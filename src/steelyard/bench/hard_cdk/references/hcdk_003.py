import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2

app = cdk.App()
core = cdk.Stack(app, "Core")
vpc = ec2.CfnVPC(core, "Vpc", cidr_block="10.72.0.0/19")

payments = cdk.Stack(app, "Payments")
ec2.CfnSubnet(payments, "PayApi", vpc_id=vpc.ref, cidr_block="10.72.6.0/23", tags=[cdk.CfnTag(key="Name", value="pay-api")])
ec2.CfnSubnet(payments, "PayApp", vpc_id=vpc.ref, cidr_block="10.72.8.0/24", tags=[cdk.CfnTag(key="Name", value="pay-app")])
ec2.CfnSubnet(payments, "PayMon", vpc_id=vpc.ref, cidr_block="10.72.16.0/25", tags=[cdk.CfnTag(key="Name", value="pay-mon")])
ec2.CfnSubnet(payments, "PayTmp", vpc_id=vpc.ref, cidr_block="10.72.10.0/23", tags=[cdk.CfnTag(key="Name", value="pay-tmp")])
ec2.CfnSubnet(payments, "PayWeb", vpc_id=vpc.ref, cidr_block="10.72.9.0/25", tags=[cdk.CfnTag(key="Name", value="pay-web")])

clients = cdk.Stack(app, "Clients")
ec2.CfnSubnet(clients, "CrmApp", vpc_id=vpc.ref, cidr_block="10.72.22.0/23", tags=[cdk.CfnTag(key="Name", value="crm-app")])
ec2.CfnSubnet(clients, "CrmDb", vpc_id=vpc.ref, cidr_block="10.72.9.128/27", tags=[cdk.CfnTag(key="Name", value="crm-db")])
ec2.CfnSubnet(clients, "CrmJob", vpc_id=vpc.ref, cidr_block="10.72.5.0/27", tags=[cdk.CfnTag(key="Name", value="crm-job")])
ec2.CfnSubnet(clients, "CrmMl", vpc_id=vpc.ref, cidr_block="10.72.0.0/22", tags=[cdk.CfnTag(key="Name", value="crm-ml")])
ec2.CfnSubnet(clients, "CrmWeb", vpc_id=vpc.ref, cidr_block="10.72.16.128/25", tags=[cdk.CfnTag(key="Name", value="crm-web")])

operations = cdk.Stack(app, "Operations")
ec2.CfnSubnet(operations, "OpsApi", vpc_id=vpc.ref, cidr_block="10.72.9.160/28", tags=[cdk.CfnTag(key="Name", value="ops-api")])
ec2.CfnSubnet(operations, "OpsApp", vpc_id=vpc.ref, cidr_block="10.72.5.128/26", tags=[cdk.CfnTag(key="Name", value="ops-app")])
ec2.CfnSubnet(operations, "OpsEtl", vpc_id=vpc.ref, cidr_block="10.72.5.64/26", tags=[cdk.CfnTag(key="Name", value="ops-etl")])
ec2.CfnSubnet(operations, "OpsJob", vpc_id=vpc.ref, cidr_block="10.72.20.0/23", tags=[cdk.CfnTag(key="Name", value="ops-job")])

laboratory = cdk.Stack(app, "Laboratory")
ec2.CfnSubnet(laboratory, "LabBus", vpc_id=vpc.ref, cidr_block="10.72.24.0/23", tags=[cdk.CfnTag(key="Name", value="lab-bus")])
ec2.CfnSubnet(laboratory, "LabDb", vpc_id=vpc.ref, cidr_block="10.72.4.0/24", tags=[cdk.CfnTag(key="Name", value="lab-db")])
ec2.CfnSubnet(laboratory, "LabEtl", vpc_id=vpc.ref, cidr_block="10.72.12.0/23", tags=[cdk.CfnTag(key="Name", value="lab-etl")])
ec2.CfnSubnet(laboratory, "LabJob", vpc_id=vpc.ref, cidr_block="10.72.18.0/23", tags=[cdk.CfnTag(key="Name", value="lab-job")])

app.synth()
