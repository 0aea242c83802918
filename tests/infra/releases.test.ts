import { describe, expect, test } from 'vitest'
import { functions, queues } from '#shared/manifest/index.ts'
import type { FunctionSpec } from '#shared/manifest/index.ts'
import { releaseWaves } from '#shared/manifest/releases.ts'
import { declared } from './harness/declare.ts'
import type { Inputs } from './harness/mocks.ts'
import { componentOf, roleStatements, statementsOf } from './harness/policies.ts'

const stack = declared()

const group = (name: string) =>
  stack.one('aws:codedeploy/deploymentGroup:DeploymentGroup', `${componentOf(name)}Release`)

const watching = (name: string): string[] => {
  const { alarms, enabled } = group(name).alarmConfiguration as Inputs
  expect(enabled).toBe(true)
  return (alarms as string[]).map((alarm) => alarm.replace('agent-platform-production-', ''))
}

describe.each(functions)('$name', (spec) => {
  test('publishes a version at each deployment, and its alias stays at the released version', () => {
    const { publish, reservedConcurrentExecutions } = stack.one(
      'aws:lambda/function:Function',
      `${componentOf(spec.name)}Function`,
    )
    expect(publish).toBe(true)
    // Reserved for the whole function, so that two versions share it during a release.
    expect(reservedConcurrentExecutions).toBe(spec.reserved)
    expect(stack.one('aws:lambda/alias:Alias', `${componentOf(spec.name)}Live`)).toMatchObject({
      name: 'live',
      functionName: `agent-platform-production-${spec.name}`,
      functionVersion: '1',
    })
    expect(stack.keptAsIs('aws:lambda/alias:Alias', `${componentOf(spec.name)}Live`)).toEqual([
      'functionVersion',
      'routingConfig',
    ])
  })

  test('is shifted by a small share first, and rolls back on an alarm', () => {
    const ticks = spec.trigger.kind === 'schedule'
    expect(group(spec.name)).toMatchObject({
      appName: 'agent-platform-production-releases',
      deploymentGroupName: spec.name,
      deploymentConfigName: ticks ? 'TickCanary-id' : 'Canary-id',
      deploymentStyle: {
        deploymentType: 'BLUE_GREEN',
        deploymentOption: 'WITH_TRAFFIC_CONTROL',
      },
      autoRollbackConfiguration: {
        enabled: true,
        events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM', 'DEPLOYMENT_STOP_ON_REQUEST'],
      },
    })
  })

  test('has alarms on its errors and on its callers’ errors', () => {
    expect(watching(spec.name)).toEqual([...ownOf(spec), ...noticedOf(spec)])
    const names = [...stack.all('aws:cloudwatch/metricAlarm:MetricAlarm').values()].map(
      ({ name }) => name,
    )
    for (const alarm of watching(spec.name))
      expect(names).toContain(`agent-platform-production-${alarm}`)
  })
})

/** The alarm of a critical function, which counts each error. */
const ownOf = ({ name }: FunctionSpec) =>
  ['signer', 'watchdog', 'web-billing'].includes(name) ? [`${name}-errors`] : []

function noticedOf({ name, trigger }: FunctionSpec): unknown[] {
  const rateOf = (kind: string) => expect.stringMatching(new RegExp(`^${kind}-errors(-\\d)?$`))
  if (trigger.kind === 'invoke' || name === 'watchdog') return []
  if (trigger.kind === 'queue') return [rateOf('queues'), 'messages-failing']
  if (trigger.kind === 'schedule') return [rateOf('schedules')]
  const { surface, streaming } = trigger
  if (streaming === true) return [`${surface}-streams-5xx`, rateOf(`${surface}-streams`)]
  return [`${surface}-5xx`, `${surface}-slow`]
}

test('no deployed version is called before its release', () => {
  const unreleased = new RegExp(
    `function:agent-platform-production-(?:${functions.map(({ name }) => name).join('|')})(?=["/]|$)`,
  )
  const calling = stack.registrations.filter(
    ({ type, inputs }) =>
      /^aws:(?:apigateway|apigatewayv2|lambda\/eventSourceMapping|scheduler|cloudwatch\/eventTarget)/.test(
        type,
      ) && unreleased.test(JSON.stringify(inputs)),
  )
  expect(calling.map(({ name }) => name)).toEqual([])
  expect(JSON.stringify(stack.registrations)).not.toContain('$LATEST')
  for (const permission of stack.all('aws:lambda/permission:Permission').values())
    expect(permission).toMatchObject({ qualifier: 'live' })
})

test('a tenth is observed for five minutes, and half of the ticks', () => {
  const shareOf = (name: string) =>
    stack.one('aws:codedeploy/deploymentConfig:DeploymentConfig', name)
  expect(shareOf('Canary')).toMatchObject({
    computePlatform: 'Lambda',
    trafficRoutingConfig: {
      type: 'TimeBasedCanary',
      timeBasedCanary: { percentage: 10, interval: 5 },
    },
  })
  expect(shareOf('TickCanary')).toMatchObject({
    trafficRoutingConfig: { timeBasedCanary: { percentage: 50, interval: 5 } },
  })
})

test('the release role may move aliases of this stage, and nothing else', () => {
  const role = stack.one('aws:iam/role:Role', 'ReleaseRole')
  const trust = statementsOf(role.assumeRolePolicy)
  expect(trust).toMatchObject([{ Principal: { Service: ['codedeploy.amazonaws.com'] } }])
  expect(trust[0]?.Condition ?? {}).toEqual({})
  expect(role.managedPolicyArns ?? []).toEqual([])
  expect(roleStatements(stack, 'ReleaseRole')).toMatchObject([
    {
      Action: ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
      Resource: ['arn:aws:lambda:eu-west-1:123456789012:function:agent-platform-production-*'],
    },
    { Action: ['cloudwatch:DescribeAlarms'], Resource: ['*'] },
  ])
})

test('a release moves every function once, consumers before senders', () => {
  const waves = releaseWaves(functions)
  const names = waves.map((wave) => wave.map(({ name }) => name))
  expect(names.flat().toSorted()).toEqual(functions.map(({ name }) => name).toSorted())
  const waveOf = (name: string) => names.findIndex((wave) => wave.includes(name))
  for (const { name: queue } of queues) {
    const reader = functions.find(
      ({ trigger }) => trigger.kind === 'queue' && trigger.queue === queue,
    )
    const senders = functions.filter(
      ({ grants, trigger }) =>
        trigger.kind !== 'queue' && grants.some((grant) => 'send' in grant && grant.send === queue),
    )
    for (const sender of senders)
      expect(waveOf(reader?.name ?? '')).toBeLessThan(waveOf(sender.name))
  }
})
