type Inputs = Record<string, unknown>

/** The VPC of another stage, with the resources that a look-up finds in it. */
export const sharedNetwork = {
  id: 'vpc-shared',
  privateSubnets: ['private-a', 'private-b', 'private-c'],
  publicSubnets: ['public-a', 'public-b', 'public-c'],
  endpoints: 'sg-endpoints',
  tablePrefixList: 'pl-shared',
}

/** Returns the state of an existing resource that the program reads by its id. */
export function stateOf(type: string): Inputs {
  return type === 'aws:ec2/vpc:Vpc' ? { tagsAll: { 'sst:ref-version': '2' } } : {}
}

/** Returns the result of a look-up in the VPC of another stage; undefined for every other look-up. */
export function lookUpNetwork(token: string, { filters = [] }: Inputs): Inputs | undefined {
  const asks = (value: string) =>
    (filters as { values: string[] }[]).some(({ values }) => values.includes(value))
  switch (token) {
    case 'aws:ec2/getInternetGateway:getInternetGateway':
      return { internetGatewayId: 'igw-shared' }
    case 'aws:ec2/getSecurityGroups:getSecurityGroups':
      return { ids: asks('default') ? ['sg-default'] : [] }
    case 'aws:ec2/getSecurityGroup:getSecurityGroup':
      return { id: asks('Private doors to AWS services') ? sharedNetwork.endpoints : 'none' }
    case 'aws:ec2/getSubnets:getSubnets':
      return { ids: asks('*Private*') ? sharedNetwork.privateSubnets : sharedNetwork.publicSubnets }
    case 'aws:ec2/getRouteTable:getRouteTable':
      return { routeTableId: 'rtb-shared' }
    case 'aws:ec2/getNatGateways:getNatGateways':
    case 'aws:ec2/getInstances:getInstances':
      return { ids: [] }
    case 'aws:ec2/getVpcEndpoint:getVpcEndpoint':
      return { prefixListId: sharedNetwork.tablePrefixList }
    case 'aws:route53/getZone:getZone':
      return { linkedServiceDescription: 'arn:aws:servicediscovery:::namespace/ns-shared' }
    default:
      return undefined
  }
}
