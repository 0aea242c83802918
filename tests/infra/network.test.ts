import { describe, expect, test } from 'vitest'
import { agentCapacity, functions } from '#shared/manifest/index.ts'
import { transitional, unprotected } from './harness/combined.ts'
import { declare, declared } from './harness/declare.ts'
import { port, securityRules } from './harness/security-rules.ts'

const stack = declared()

const rulesOf = (direction: 'Ingress' | 'Egress', group: string) =>
  securityRules(stack, direction, group)

describe('agents', () => {
  test('are reached only by functions of the group, only on the gateway port', () => {
    expect(rulesOf('Ingress', 'Agents')).toEqual([
      { securityGroupId: 'Agents-id', referencedSecurityGroupId: 'Functions-id', ...port(18789) },
    ])
  })

  test('may connect anywhere', () => {
    expect(rulesOf('Egress', 'Agents')).toEqual([
      { securityGroupId: 'Agents-id', cidrIpv4: '0.0.0.0/0', ipProtocol: '-1' },
    ])
  })

  // Without a NAT gateway, tasks need a public address to reach the internet, including the image registry. The
  // security group allows no inbound connections.
  test('are in the public subnets, without a NAT gateway', () => {
    const { environment } = stack.one('aws:lambda/function:Function', 'ProvisioningFunction')
    expect(environment).toMatchObject({
      variables: {
        SUBNETS: 'NetworkPublicSubnet1-id,NetworkPublicSubnet2-id,NetworkPublicSubnet3-id',
      },
    })
    expect(environment).toMatchObject({ variables: { PUBLIC_ADDRESS: 'ENABLED' } })
    expect(() => stack.all('aws:ec2/natGateway:NatGateway')).toThrow('nothing of type')
  })
})

describe('agents behind NAT gateways', async () => {
  const shared = await declare('production', { AGENTS_NAT: 'true' })
  const zones = [1, 2, 3]

  test('have no public address, and use their zone’s own gateway', () => {
    expect(
      shared.one('aws:lambda/function:Function', 'ProvisioningFunction').environment,
    ).toMatchObject({
      variables: {
        SUBNETS: zones.map((zone) => `AgentSubnet${zone}-id`).join(','),
        PUBLIC_ADDRESS: 'DISABLED',
      },
    })
    for (const zone of zones) {
      expect(shared.one('aws:ec2/natGateway:NatGateway', `AgentNatGateway${zone}`)).toMatchObject({
        subnetId: `NetworkPublicSubnet${zone}-id`,
        allocationId: `AgentAddress${zone}-id`,
      })
      expect(shared.one('aws:ec2/routeTable:RouteTable', `AgentRouteTable${zone}`)).toMatchObject({
        routes: [{ cidrBlock: '0.0.0.0/0', natGatewayId: `AgentNatGateway${zone}-id` }],
      })
      expect(
        shared.one('aws:ec2/routeTableAssociation:RouteTableAssociation', `AgentRoute${zone}`),
      ).toEqual({ subnetId: `AgentSubnet${zone}-id`, routeTableId: `AgentRouteTable${zone}-id` })
    }
  })

  test('pull their images without the gateways', () => {
    expect(shared.one('aws:ec2/vpcEndpoint:VpcEndpoint', 'AgentImagesEndpoint')).toMatchObject({
      vpcEndpointType: 'Gateway',
      serviceName: 'com.amazonaws.eu-west-1.s3',
      routeTableIds: zones.map((zone) => `AgentRouteTable${zone}-id`),
    })
  })

  test('have room if any one zone is lost, in new address ranges', () => {
    const of = (data: typeof shared) =>
      [...data.all('aws:ec2/subnet:Subnet')].map(([name, { cidrBlock }]) => [name, cidrBlock])
    const before = of(declared())
    expect(of(shared)).toEqual(expect.arrayContaining(before))
    const added = of(shared).filter(([name]) => String(name).startsWith('AgentSubnet'))
    const ranges = added.map(([, block]) => rangeOf(String(block)))
    for (const lost of ranges) {
      const remaining = ranges.filter((range) => range !== lost)
      expect(remaining.reduce((sum, { size }) => sum + size, 0)).toBeGreaterThan(agentCapacity)
    }
    const all = of(shared)
      .map(([, block]) => rangeOf(String(block)))
      .toSorted((a, b) => a.first - b.first)
    for (const [n, { first, size }] of all.entries())
      expect(first + size).toBeLessThanOrEqual(all[n + 1]?.first ?? Infinity)
  })

  test('change no other rule of the network', () => {
    for (const direction of ['Ingress', 'Egress'] as const)
      for (const group of ['Agents', 'Functions', 'Endpoints'])
        expect(securityRules(shared, direction, group)).toEqual(rulesOf(direction, group))
  })

  test('keep their route while they are drained, and no new one starts there', async () => {
    const draining = await declare('production', transitional)
    expect(
      draining.one('aws:lambda/function:Function', 'ProvisioningFunction').environment,
    ).toEqual(stack.one('aws:lambda/function:Function', 'ProvisioningFunction').environment)
    for (const type of [
      'aws:ec2/natGateway:NatGateway',
      'aws:ec2/subnet:Subnet',
      'aws:ec2/routeTable:RouteTable',
      'aws:ec2/routeTableAssociation:RouteTableAssociation',
    ])
      expect(draining.all(type)).toEqual(shared.all(type))
  })

  test('require exactly the value true', async () => {
    await expect(declare('production', { AGENTS_NAT: 'yes' })).rejects.toThrow(
      'AGENTS_NAT is yes; it must be true, draining or false',
    )
  })
})

test('no group allows an address range or has inline rules', () => {
  const groups = stack.all('aws:ec2/securityGroup:SecurityGroup')
  expect([...groups.keys()].toSorted()).toEqual([
    'Agents',
    'Endpoints',
    'Explorer',
    'Functions',
    'Workspace',
  ])
  for (const group of groups.values()) {
    expect(group.ingress).toBeUndefined()
    expect(group.egress).toBeUndefined()
  }
  const ingress = stack.all('aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule')
  for (const rule of ingress.values()) {
    expect(rule.cidrIpv4).toBeUndefined()
    expect(rule.cidrIpv6).toBeUndefined()
    expect(rule.prefixListId).toBeUndefined()
  }
  expect(
    stack.one('aws:ec2/defaultSecurityGroup:DefaultSecurityGroup', 'NetworkSecurityGroup'),
  ).toMatchObject({ ingress: [], egress: [] })
})

test('functions in the VPC can reach agents, the table, the bucket and the endpoints, and nothing else', () => {
  const ends = rulesOf('Egress', 'Functions').map((rule) => ({
    to: rule.referencedSecurityGroupId ?? rule.prefixListId ?? rule.cidrIpv4,
    port: rule.fromPort,
  }))
  expect(new Set(ends)).toEqual(
    new Set([
      { to: 'Agents-id', port: 18789 },
      { to: 'Endpoints-id', port: 443 },
      { to: 'pl-ObjectsEndpoint', port: 443 },
      { to: 'pl-TableEndpoint', port: 443 },
    ]),
  )
  expect(rulesOf('Ingress', 'Functions')).toEqual([])
  expect(rulesOf('Ingress', 'Endpoints')).toEqual([
    { securityGroupId: 'Endpoints-id', referencedSecurityGroupId: 'Functions-id', ...port(443) },
  ])
})

test.each([
  ['TableEndpoint', 'dynamodb'],
  ['ObjectsEndpoint', 's3'],
])('%s is in the route tables of the functions', (name, service) => {
  expect(stack.one('aws:ec2/vpcEndpoint:VpcEndpoint', name)).toMatchObject({
    vpcEndpointType: 'Gateway',
    serviceName: `com.amazonaws.eu-west-1.${service}`,
    routeTableIds: [
      'NetworkPrivateRouteTable1-id',
      'NetworkPrivateRouteTable2-id',
      'NetworkPrivateRouteTable3-id',
    ],
  })
})

test('queues are reached by a private endpoint', () => {
  expect(stack.one('aws:ec2/vpcEndpoint:VpcEndpoint', 'SQSEndpoint')).toMatchObject({
    vpcEndpointType: 'Interface',
    serviceName: 'com.amazonaws.eu-west-1.sqs',
    privateDnsEnabled: true,
    securityGroupIds: ['Endpoints-id'],
    subnetIds: ['NetworkPrivateSubnet1-id', 'NetworkPrivateSubnet2-id', 'NetworkPrivateSubnet3-id'],
  })
  // An interface endpoint for a service that no function in the VPC calls would only cost money.
  expect(stack.all('aws:ec2/vpcEndpoint:VpcEndpoint').size).toBe(3)
})

test('functions in the VPC require no missing endpoint', () => {
  // Payments of wallets are rows of the table.
  const reachable = new Set(['packs', 'snapshots', 'table', 'rows', 'send'])
  const grants = functions.filter(({ vpc }) => vpc === true).flatMap((spec) => spec.grants)
  expect(grants.length).toBeGreaterThan(0)
  expect(grants.filter((grant) => !Object.keys(grant).every((key) => reachable.has(key)))).toEqual(
    [],
  )
})

describe('ZONES', () => {
  test('chooses the zones of the network and of its NAT gateways', async () => {
    const chosen = await declare('production', unprotected)
    const zones = [...chosen.all('aws:ec2/subnet:Subnet').values()].flatMap(
      ({ availabilityZone }) => (availabilityZone as string | undefined) ?? [],
    )
    expect(new Set(zones)).toEqual(new Set(['eu-west-1a', 'eu-west-1c']))
    expect(chosen.all('aws:ec2/natGateway:NatGateway').size).toBe(2)
  })

  test('needs two zones, because a load balancer does', async () => {
    await expect(declare('production', { ZONES: 'eu-west-1a' })).rejects.toThrow(
      'ZONES is eu-west-1a; it must name two or three Availability Zones',
    )
  })
})

describe('addresses', () => {
  const subnets = [...stack.all('aws:ec2/subnet:Subnet').values()].map((subnet) => ({
    public: subnet['mapPublicIpOnLaunch'] === true,
    zone: subnet['availabilityZone'],
    range: rangeOf(String(subnet['cidrBlock'])),
  }))
  const rooms = subnets.filter((subnet) => subnet.public)

  test('suffice for every agent if any one zone is lost', () => {
    expect(new Set(rooms.map(({ zone }) => zone)).size).toBe(3)
    for (const lost of rooms) {
      const remaining = rooms.filter((room) => room !== lost)
      expect(remaining.reduce((sum, { range }) => sum + range.size, 0)).toBeGreaterThan(
        agentCapacity,
      )
    }
  })

  test('belong to one subnet each, within the network', () => {
    const [network] = [...stack.all('aws:ec2/vpc:Vpc').values()].map((vpc) =>
      rangeOf(String(vpc['cidrBlock'])),
    )
    const inOrder = subnets.map(({ range }) => range).toSorted((a, b) => a.first - b.first)
    for (const [n, { first, size }] of inOrder.entries()) {
      expect(first + size).toBeLessThanOrEqual(
        inOrder[n + 1]?.first ?? (network?.first ?? 0) + (network?.size ?? 0),
      )
      expect(first).toBeGreaterThanOrEqual(network?.first ?? Infinity)
    }
  })
})

/** Parses a range of addresses into its first address, as a number, and its size. */
function rangeOf(cidr: string): { first: number; size: number } {
  const [address = '', bits] = cidr.split('/')
  const first = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  return { first, size: 2 ** (32 - Number(bits)) }
}
