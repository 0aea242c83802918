import { addressRanges, gatewayPort } from '../shared/manifest/index.ts'
import { named } from './names.ts'

/**
 * Agents live in the public subnets, with a public address as their only way out, unless a stage has them behind NAT gateways
 * (agent-network.ts). It lets nothing in, since their security group has no rule for anybody outside. Functions that reach agents live
 * in the private subnets, which have no way to the internet at all.
 */
export const vpc = new sst.aws.Vpc('Network', {
  az: addressRanges.length,
  transform: {
    // Nothing uses the default group; open, it would only wait for a mistake that uses it.
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
  if (!ranges) throw new Error(`${name} is a subnet of no zone that the manifest knows`)
  return ranges
}

/** A group without a rule: nothing comes in, nothing goes out. */
export const securityGroup = (name: string, description: string) =>
  new aws.ec2.SecurityGroup(name, {
    namePrefix: `${named(name.toLowerCase())}-`,
    vpcId: vpc.id,
    description,
  })

/** Functions that reach agents. */
export const functionsGroup = securityGroup('Functions', 'Functions that reach agents')

/** Agents: they may go anywhere, and only functions of the group above and the agents' router may come to them. */
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

/** DynamoDB by the route table: free, unlike the interface endpoints. */
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

/** What else the functions in the VPC call: the checks send messages and look at tasks. */
for (const service of ['sqs', 'ecs'])
  new aws.ec2.VpcEndpoint(`${service.toUpperCase()}Endpoint`, {
    vpcId: vpc.id,
    vpcEndpointType: 'Interface',
    serviceName: $interpolate`com.amazonaws.${region}.${service}`,
    subnetIds: vpc.privateSubnets,
    securityGroupIds: [endpointsGroup.id],
    privateDnsEnabled: true,
  })
