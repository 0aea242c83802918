import { addressRanges, gatewayPort } from '#shared/manifest/index.ts'
import { named } from './names.ts'

/**
 * Agents run in the public subnets. Their public address is their only way out, unless the stage has NAT gateways
 * (agent-network.ts). Their security group has no inbound rule for the internet. Functions that reach agents run in the
 * private subnets, which have no internet access.
 */
export const vpc = new sst.aws.Vpc('Network', {
  az: addressRanges.length,
  transform: {
    // Nothing uses the default group. If it were open, a mistake could use it.
    securityGroup: { ingress: [], egress: [] },
    publicSubnet: (subnet, _options, name) => {
      subnet.cidrBlock = rangesOf(name).public
    },
    privateSubnet: (subnet, _options, name) => {
      subnet.cidrBlock = rangesOf(name).private
    },
  },
})

/** The component numbers the subnets of its zones from 1, at the end of their names. */
function rangesOf(name: string): (typeof addressRanges)[number] {
  const ranges = addressRanges[Number(/\d+$/.exec(name)?.[0]) - 1]
  if (!ranges) throw new Error(`the manifest has no zone for the subnet ${name}`)
  return ranges
}

/** Creates a group without rules: no inbound and no outbound traffic. */
export const securityGroup = (name: string, description: string) =>
  new aws.ec2.SecurityGroup(name, {
    namePrefix: `${named(name.toLowerCase())}-`,
    vpcId: vpc.id,
    description,
  })

/** The group of functions that reach agents. */
export const functionsGroup = securityGroup('Functions', 'Functions that reach agents')

/** The group of agents. All outbound traffic is allowed; inbound only from the group above and the agents' router. */
export const agentsGroup = securityGroup('Agents', 'Agent containers')

const endpointsGroup = securityGroup('Endpoints', 'Private doors to AWS services')

new aws.vpc.SecurityGroupIngressRule('AgentsFromFunctions', {
  securityGroupId: agentsGroup.id,
  referencedSecurityGroupId: functionsGroup.id,
  ipProtocol: 'tcp',
  fromPort: gatewayPort,
  toPort: gatewayPort,
})

new aws.vpc.SecurityGroupEgressRule('AgentsOut', {
  securityGroupId: agentsGroup.id,
  cidrIpv4: '0.0.0.0/0',
  ipProtocol: '-1',
})

new aws.vpc.SecurityGroupEgressRule('FunctionsToAgents', {
  securityGroupId: functionsGroup.id,
  referencedSecurityGroupId: agentsGroup.id,
  ipProtocol: 'tcp',
  fromPort: gatewayPort,
  toPort: gatewayPort,
})

new aws.vpc.SecurityGroupEgressRule('FunctionsToEndpoints', {
  securityGroupId: functionsGroup.id,
  referencedSecurityGroupId: endpointsGroup.id,
  ipProtocol: 'tcp',
  fromPort: 443,
  toPort: 443,
})

new aws.vpc.SecurityGroupIngressRule('EndpointsFromFunctions', {
  securityGroupId: endpointsGroup.id,
  referencedSecurityGroupId: functionsGroup.id,
  ipProtocol: 'tcp',
  fromPort: 443,
  toPort: 443,
})

const region = aws.getRegionOutput().region

/** DynamoDB through the route table: free, unlike interface endpoints. */
export const tableEndpoint = new aws.ec2.VpcEndpoint('TableEndpoint', {
  vpcId: vpc.id,
  vpcEndpointType: 'Gateway',
  serviceName: $interpolate`com.amazonaws.${region}.dynamodb`,
  routeTableIds: vpc.nodes.privateRouteTables.apply((tables) => tables.map(({ id }) => id)),
})

new aws.vpc.SecurityGroupEgressRule('FunctionsToTable', {
  securityGroupId: functionsGroup.id,
  prefixListId: tableEndpoint.prefixListId,
  ipProtocol: 'tcp',
  fromPort: 443,
  toPort: 443,
})

/** Functions in the VPC call no other service than the table and the queues. An endpoint costs about $22 a month. */
new aws.ec2.VpcEndpoint('SQSEndpoint', {
  vpcId: vpc.id,
  vpcEndpointType: 'Interface',
  serviceName: $interpolate`com.amazonaws.${region}.sqs`,
  subnetIds: vpc.privateSubnets,
  securityGroupIds: [endpointsGroup.id],
  privateDnsEnabled: true,
})
