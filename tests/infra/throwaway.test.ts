import { describe, expect, test } from 'vitest'
import { functions } from '#shared/manifest/index.ts'
import { throwaway } from './harness/combined.ts'
import { declare } from './harness/declare.ts'
import type { Declared } from './harness/declare.ts'
import { componentOf } from './harness/policies.ts'
import { port, securityRules } from './harness/security-rules.ts'
import { sharedNetwork } from './harness/shared-network.ts'

const typesOf = ({ registrations }: Declared) => new Set(registrations.map(({ type }) => type))

describe('a throwaway stage', async () => {
  const stack = await declare('dev-ada', throwaway)

  test('has no alarms and no releases, so its aliases follow each deployment', () => {
    const types = [...typesOf(stack)]
    expect(types.filter((type) => /cloudwatch\/metricAlarm|:codedeploy\//.test(type))).toEqual([])
    expect([...stack.all('aws:sns/topic:Topic').keys()]).toEqual(['ReceivedMails'])
    for (const { name } of functions)
      expect(stack.keptAsIs('aws:lambda/alias:Alias', `${componentOf(name)}Live`)).toEqual([])
  })

  test('reserves no instances, so that it fits next to any other stage', () => {
    const reserved = [...stack.all('aws:lambda/function:Function').values()].map(
      ({ reservedConcurrentExecutions }) => reservedConcurrentExecutions,
    )
    expect(new Set(reserved)).toEqual(new Set([undefined, -1]))
  })

  test('has no VPC and no endpoints of its own', () => {
    const types = typesOf(stack)
    for (const type of [
      'aws:ec2/vpc:Vpc',
      'aws:ec2/subnet:Subnet',
      'aws:ec2/vpcEndpoint:VpcEndpoint',
      'aws:servicediscovery/privateDnsNamespace:PrivateDnsNamespace',
    ])
      expect(types).not.toContain(type)
  })

  test('runs its functions and agents in the subnets of the given VPC, in groups of its own', () => {
    expect(stack.one('aws:lambda/function:Function', 'ChecksFunction').vpcConfig).toEqual({
      securityGroupIds: ['Functions-id'],
      subnetIds: sharedNetwork.privateSubnets,
    })
    expect(stack.one('aws:lambda/function:Function', 'ProvisioningFunction')).toMatchObject({
      environment: { variables: { SUBNETS: sharedNetwork.publicSubnets.join(',') } },
    })
    for (const group of stack.all('aws:ec2/securityGroup:SecurityGroup').values())
      expect(group.vpcId).toBe(sharedNetwork.id)
    expect(securityRules(stack, 'Ingress', 'Agents')).toEqual([
      { securityGroupId: 'Agents-id', referencedSecurityGroupId: 'Functions-id', ...port(18789) },
    ])
  })

  test('reaches queues and table by the endpoints of the given VPC', () => {
    const { endpoints, tablePrefixList } = sharedNetwork
    const egress = securityRules(stack, 'Egress', 'Functions')
    expect(egress).toContainEqual({
      securityGroupId: 'Functions-id',
      referencedSecurityGroupId: endpoints,
      ...port(443),
    })
    expect(egress).toContainEqual({
      securityGroupId: 'Functions-id',
      prefixListId: tablePrefixList,
      ...port(443),
    })
    const rule = stack.one(
      'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule',
      'EndpointsFromFunctions',
    )
    expect(rule).toMatchObject({
      securityGroupId: endpoints,
      referencedSecurityGroupId: 'Functions-id',
    })
  })
})

test('only a throwaway stage uses the VPC of another stage, and none without', async () => {
  const NETWORK_VPC_ID = sharedNetwork.id
  await expect(declare('dev')).rejects.toThrow('NETWORK_VPC_ID is not set')
  await expect(declare('production', { NETWORK_VPC_ID })).rejects.toThrow('NETWORK_VPC_ID is set')
  await expect(declare('dev', { NETWORK_VPC_ID, AGENTS_NAT: 'true' })).rejects.toThrow(
    'AGENTS_NAT is set',
  )
})
