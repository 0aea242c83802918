import { addressRanges, gatewayPort } from '#shared/manifest/index.ts'
import { named } from './names.ts'
import { isThrowaway } from './stage.ts'

/** NETWORK_VPC_ID: the VPC of a stage that is kept. A throwaway stage uses it with its endpoints. */
const shared = sharedNetwork(process.env.NETWORK_VPC_ID)

/** ZONES: the Availability Zones of the network. Empty: as many of the region's as the manifest has address ranges. */
const zones = zonesOf(process.env.ZONES)

/** The number of zones. */
export const zoneCount = zones.length || addressRanges.length

/** True if the stage has a VPC of its own. */
export const ownNetwork = shared === undefined

/**
 * Agents run in the public subnets. Their public address is their only way out, unless the stage has NAT gateways
 * (agent-network.ts). Their security group has no inbound rule for the internet. Functions that reach agents run in the
 * private subnets, which have no internet access.
 */
export const vpc = shared === undefined ? createNetwork() : sst.aws.Vpc.get('Network', shared)

function sharedNetwork(id = ''): string | undefined {
  if (!isThrowaway($app.stage)) {
    if (id === '') return undefined
    throw new Error('NETWORK_VPC_ID is set, but a stage that is kept has a VPC of its own')
  }
  if (id !== '') return id
  throw new Error(
    'NETWORK_VPC_ID is not set: a throwaway stage has no VPC of its own. Set it to the output `network` of a stage that is kept',
  )
}

function createNetwork(): sst.aws.Vpc {
  return new sst.aws.Vpc('Network', {
    az: zones.length === 0 ? zoneCount : zones,
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
}

function zonesOf(setting = ''): string[] {
  const names = setting.split(',').flatMap((name) => name.trim() || [])
  // A load balancer needs two zones.
  if (names.length === 1 || names.length > addressRanges.length)
    throw new Error(`ZONES is ${setting}; it must name two or three Availability Zones`)
  return names
}

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

const endpoints = 'Private doors to AWS services'
const endpointsGroup = ownNetwork
  ? securityGroup('Endpoints', endpoints)
  : aws.ec2.getSecurityGroupOutput({
      filters: [
        { name: 'vpc-id', values: [vpc.id] },
        { name: 'description', values: [endpoints] },
      ],
    })

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

const tableService = $interpolate`com.amazonaws.${region}.dynamodb`

/** DynamoDB through the route table: free, unlike interface endpoints. */
export const tableEndpoint = ownNetwork
  ? new aws.ec2.VpcEndpoint('TableEndpoint', {
      vpcId: vpc.id,
      vpcEndpointType: 'Gateway',
      serviceName: tableService,
      routeTableIds: vpc.nodes.privateRouteTables.apply((tables) => tables.map(({ id }) => id)),
    })
  : aws.ec2.getVpcEndpointOutput({ vpcId: vpc.id, serviceName: tableService })

new aws.vpc.SecurityGroupEgressRule('FunctionsToTable', {
  securityGroupId: functionsGroup.id,
  prefixListId: tableEndpoint.prefixListId,
  ipProtocol: 'tcp',
  fromPort: 443,
  toPort: 443,
})

const objectsService = $interpolate`com.amazonaws.${region}.s3`

/** S3 through the route table, like DynamoDB. The VPC of another stage can have several endpoints for it. */
const objectsPrefixList = ownNetwork
  ? new aws.ec2.VpcEndpoint('ObjectsEndpoint', {
      vpcId: vpc.id,
      vpcEndpointType: 'Gateway',
      serviceName: objectsService,
      routeTableIds: vpc.nodes.privateRouteTables.apply((tables) => tables.map(({ id }) => id)),
    }).prefixListId
  : aws.ec2.getManagedPrefixListOutput({ name: objectsService }).id

new aws.vpc.SecurityGroupEgressRule('FunctionsToObjects', {
  securityGroupId: functionsGroup.id,
  prefixListId: objectsPrefixList,
  ipProtocol: 'tcp',
  fromPort: 443,
  toPort: 443,
})

/**
 * Functions in the VPC call no other service than the table, the bucket and the queues. An endpoint costs about $7 a month for each
 * zone.
 */
if (ownNetwork)
  new aws.ec2.VpcEndpoint('SQSEndpoint', {
    vpcId: vpc.id,
    vpcEndpointType: 'Interface',
    serviceName: $interpolate`com.amazonaws.${region}.sqs`,
    subnetIds: vpc.privateSubnets,
    securityGroupIds: [endpointsGroup.id],
    privateDnsEnabled: true,
  })
