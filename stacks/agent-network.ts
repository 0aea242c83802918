import { agentRangesBehindNat } from '#shared/manifest/index.ts'
import { named } from './names.ts'
import { ownNetwork, vpc, zoneCount } from './network.ts'

/**
 * AGENTS_NAT: agents share the addresses of NAT gateways, one per zone, instead of having a public address each.
 * docs/operate/costs.md says from how many agents on that is cheaper. Chat services and others that limit by address then see all
 * agents as one caller. `draining` keeps the gateways for running agents but starts no new ones behind them: without the
 * gateways, those agents would lose internet access, and their subnets cannot be deleted while they run.
 */
const nat = natOf(process.env.AGENTS_NAT)

const behindNat = nat === 'false' ? undefined : subnetsBehindNat()

/** The network configuration of agents' tasks, as RunTask takes it. */
export const agentNetwork: {
  subnets: $util.Output<string[]>
  publicAddress: 'ENABLED' | 'DISABLED'
} =
  behindNat !== undefined && nat === 'true'
    ? { subnets: behindNat, publicAddress: 'DISABLED' }
    : {
        subnets: vpc.publicSubnets.apply((ids) => $resolve(ids)),
        publicAddress: 'ENABLED',
      }

/** Separate address ranges, so that a stage can switch between the two ways while agents run. */
function subnetsBehindNat(): $util.Output<string[]> {
  if (!ownNetwork) throw new Error('AGENTS_NAT is set, but a throwaway stage has no VPC of its own')
  const more = new aws.ec2.VpcIpv4CidrBlockAssociation('AgentAddresses', {
    vpcId: vpc.id,
    cidrBlock: agentRangesBehindNat.whole,
  })
  const tables: aws.ec2.RouteTable[] = []
  const subnets = agentRangesBehindNat.zones.slice(0, zoneCount).map((cidrBlock, zone) => {
    const name = (kind: string) => `Agent${kind}${zone + 1}`
    const tags = { Name: `${named('agents')}-${zone + 1}` }
    const inZone = vpc.nodes.publicSubnets.apply((all) => {
      const beside = all[zone]
      if (beside === undefined) throw new Error(`the network has no zone ${zone + 1}`)
      return beside
    })
    const address = new aws.ec2.Eip(name('Address'), { domain: 'vpc', tags })
    const gateway = new aws.ec2.NatGateway(name('NatGateway'), {
      subnetId: inZone.id,
      allocationId: address.id,
      tags,
    })
    const table = new aws.ec2.RouteTable(name('RouteTable'), {
      vpcId: vpc.id,
      routes: [{ cidrBlock: '0.0.0.0/0', natGatewayId: gateway.id }],
      tags,
    })
    tables.push(table)
    const subnet = new aws.ec2.Subnet(
      name('Subnet'),
      { vpcId: vpc.id, cidrBlock, availabilityZone: inZone.availabilityZone, tags },
      { dependsOn: [more] },
    )
    const route = new aws.ec2.RouteTableAssociation(name('Route'), {
      subnetId: subnet.id,
      routeTableId: table.id,
    })
    // Wait for the route, so that functions use a subnet only when it has internet access.
    return $resolve([subnet.id, route.id]).apply(([id]) => id)
  })
  // ECR stores image layers in S3. Through this gateway endpoint they are free; through the NAT gateways each GB costs.
  new aws.ec2.VpcEndpoint('AgentImagesEndpoint', {
    vpcId: vpc.id,
    vpcEndpointType: 'Gateway',
    serviceName: $interpolate`com.amazonaws.${aws.getRegionOutput().region}.s3`,
    routeTableIds: tables.map(({ id }) => id),
  })
  return $resolve(subnets)
}

function natOf(value = ''): 'true' | 'draining' | 'false' {
  if (value === '' || value === 'false') return 'false'
  if (value === 'true' || value === 'draining') return value
  throw new Error(`AGENTS_NAT is ${value}; it must be true, draining or false`)
}
