import { describe, expect, test } from 'vitest'
import {
  functions,
  queueBaseVariable,
  queues,
  queueVariable,
  usualQuota,
} from '#shared/manifest/index.ts'
import { reduced, transitional } from './harness/combined.ts'
import { declare, declared, secretNames, secretValue, settings } from './harness/declare.ts'
import { componentOf } from './harness/policies.ts'

const stack = declared()

const lambda = (name: string) =>
  stack.one('aws:lambda/function:Function', `${componentOf(name)}Function`)

const variablesOf = (name: string) =>
  (lambda(name).environment as { variables: Record<string, string> }).variables

test('every function of the manifest is exactly one Lambda', () => {
  const names = [...stack.all('aws:lambda/function:Function').values()].map(({ name }) => name)
  expect(names.toSorted()).toEqual(
    functions.map(({ name }) => `agent-platform-production-${name}`).toSorted(),
  )
})

describe.each(functions)('$name', (spec) => {
  test('runs on Node 24 and arm64, with the memory and time of the manifest', () => {
    expect(lambda(spec.name)).toMatchObject({
      runtime: 'nodejs24.x',
      architectures: ['arm64'],
      handler: 'index.handler',
      memorySize: spec.memoryMb,
      timeout: spec.timeoutSeconds,
    })
  })

  test('deploys the same bundle as on one machine', () => {
    const build = stack.builds.find(({ functionID }) => functionID === componentOf(spec.name))
    expect(build).toMatchObject({ bundle: `dist/functions/${spec.name}`, handler: 'index.handler' })
  })

  test('is in the VPC only if the manifest requires it', () => {
    const { vpcConfig } = lambda(spec.name)
    if (spec.vpc === true)
      expect(vpcConfig).toEqual({
        securityGroupIds: ['Functions-id'],
        subnetIds: [
          'NetworkPrivateSubnet1-id',
          'NetworkPrivateSubnet2-id',
          'NetworkPrivateSubnet3-id',
        ],
      })
    else if (spec.grants.some((grant) => 'files' in grant))
      expect(vpcConfig).toEqual({
        securityGroupIds: ['Explorer-id'],
        subnetIds: [
          'NetworkPrivateSubnet1-id',
          'NetworkPrivateSubnet2-id',
          'NetworkPrivateSubnet3-id',
        ],
      })
    else expect(vpcConfig).toBeUndefined()
  })

  test('logs into its own group with a retention time', () => {
    const group = stack.one('aws:cloudwatch/logGroup:LogGroup', `${componentOf(spec.name)}Logs`)
    expect(group).toMatchObject({
      name: `/aws/lambda/agent-platform-production-${spec.name}`,
      retentionInDays: 30,
    })
    expect(lambda(spec.name).loggingConfig).toMatchObject({ logGroup: group.name })
  })

  test('has no Lambda system logs except errors, and all of its own lines', () => {
    const { logFormat, systemLogLevel, applicationLogLevel } = lambda(spec.name)
      .loggingConfig as Record<string, unknown>
    expect({ logFormat, systemLogLevel }).toEqual({ logFormat: 'JSON', systemLogLevel: 'WARN' })
    // The default, INFO, passes all levels that the functions log.
    expect(applicationLogLevel).toBeUndefined()
  })

  test('has exactly the variables for its name and its engines', () => {
    const expected = new Set([
      'FUNCTION_NAME',
      'PLATFORM_STAGE',
      'SST_KEY',
      'SST_KEY_FILE',
      'SST_RESOURCE_App',
    ])
    for (const grant of spec.grants) {
      if ('table' in grant || 'count' in grant || 'claims' in grant) expected.add('TABLE_NAME')
      if ('depth' in grant || 'redrive' in grant)
        for (const name of [queueBaseVariable, ...queues.map((queue) => queueVariable(queue.name))])
          expected.add(name)
      if ('send' in grant) expected.add(queueVariable(grant.send))
      if ('look' in grant) expected.add(queueVariable(grant.look))
      if ('containers' in grant)
        for (const name of [
          'CLUSTER',
          'TASK_FAMILY_PREFIX',
          'SUBNETS',
          'SECURITY_GROUP',
          'PUBLIC_ADDRESS',
        ])
          expected.add(name)
    }
    if (spec.trigger.kind === 'queue') expected.add(queueVariable(spec.trigger.queue))
    if (spec.grants.some((grant) => 'logs' in grant)) expected.add('AGENT_LOG_GROUP')
    const stored = ['mails', 'packs', 'snapshots', 'videos']
    if (spec.grants.some((grant) => stored.some((kind) => kind in grant)))
      expected.add('OBJECTS_BUCKET')
    if (spec.grants.some((grant) => 'invoke' in grant)) expected.add('SIGNER_FUNCTION')
    for (const name of spec.settings) expected.add(name)
    expect(new Set(Object.keys(variablesOf(spec.name)))).toEqual(expected)
    expect(variablesOf(spec.name)).toMatchObject({
      FUNCTION_NAME: spec.name,
      PLATFORM_STAGE: 'production',
    })
  })

  test('has its secrets in an encrypted file, and not in variables', () => {
    const build = stack.builds.find(({ functionID }) => functionID === componentOf(spec.name))
    const values = Object.entries(build?.links ?? {}).map(([name, { value }]) => [name, value])
    expect(Object.fromEntries(values)).toEqual(
      Object.fromEntries(spec.secrets.map((name) => [name, secretValue(name)])),
    )
    const variables = JSON.stringify(lambda(spec.name).environment)
    for (const name of secretNames) expect(variables).not.toContain(secretValue(name))
  })
})

test('secrets are in no resource except the edges, which send theirs', () => {
  const holders = stack.registrations.filter(
    ({ inputs, type }) =>
      !type.startsWith('sst:sst:') && JSON.stringify(inputs).includes('value-of-secret-'),
  )
  expect(new Set(holders.map(({ type }) => type))).toEqual(
    new Set(['aws:cloudfront/distribution:Distribution']),
  )
  for (const { inputs } of holders)
    for (const name of secretNames)
      expect(JSON.stringify(inputs).includes(secretValue(name))).toBe(name === 'ORIGIN_SECRET')
})

test('the addresses of queues, cluster, signer and agents are the declared ones', () => {
  for (const { name } of queues) {
    const consumer = functions.find(
      ({ trigger }) => trigger.kind === 'queue' && trigger.queue === name,
    )
    expect(variablesOf(consumer?.name ?? '')[queueVariable(name)]).toBe(
      `https://sqs.eu-west-1.amazonaws.com/123456789012/${componentOf(name)}QueueQueue`,
    )
  }
  const { [queueBaseVariable]: base, ...others } = variablesOf('web-operator')
  for (const { name } of queues)
    expect(`${base}${others[queueVariable(name)]}`).toBe(
      `https://sqs.eu-west-1.amazonaws.com/123456789012/${componentOf(name)}QueueQueue`,
    )
  expect(variablesOf('backend-wallets')).toMatchObject({
    SIGNER_FUNCTION: `${String(lambda('signer').name)}:live`,
  })
  expect(variablesOf('provisioning')).toMatchObject({
    CLUSTER: 'agent-platform-production-agents',
    TASK_FAMILY_PREFIX: 'agent-platform-production-',
    SUBNETS: 'NetworkPublicSubnet1-id,NetworkPublicSubnet2-id,NetworkPublicSubnet3-id',
    SECURITY_GROUP: 'Agents-id',
    BACKEND_URL: 'https://backendedge.cloudfront.net',
  })
})

describe('reserved concurrency', () => {
  const lambdasOf = (declaration: Pick<typeof stack, 'one'>) =>
    functions.map(({ name, reserved }) => ({
      name,
      wanted: reserved,
      kept: declaration.one('aws:lambda/function:Function', `${componentOf(name)}Function`)
        .reservedConcurrentExecutions,
    }))

  test('is reserved for functions that must always run, and limited for streams', () => {
    const stored = lambdasOf(stack).filter(({ wanted }) => wanted !== undefined)
    expect(stored.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'web-accounts',
        'backend-gate',
        'provisioning',
        'task-events',
        'checks',
      ]),
    )
    for (const { kept: count, wanted } of stored) expect(count).toBe(wanted)
    const sum = stored.reduce((total, { wanted = 0 }) => total + wanted, 0)
    // Lambda keeps 100 unreserved; 400 are for all functions without a reservation.
    expect(sum).toBeLessThanOrEqual(usualQuota - 500)
    for (const name of ['backend-ai', 'web-chat'])
      expect(stored.find((one) => one.name === name)?.wanted).toBeLessThanOrEqual(usualQuota / 2)
  })

  test('all other functions share the unreserved concurrency', () => {
    const others = lambdasOf(stack).filter(({ wanted }) => wanted === undefined)
    expect(others.filter(({ kept }) => kept !== undefined)).toEqual([])
  })

  test('reserved concurrency of a consumer equals its parallel batches, so that no message is throttled', () => {
    const consumers = functions.flatMap(({ name, trigger, reserved }) =>
      trigger.kind === 'queue' && reserved !== undefined
        ? [{ name, reserved, batches: trigger.maxConcurrency ?? 10 }]
        : [],
    )
    expect(consumers.filter(({ reserved, batches }) => reserved !== batches)).toEqual([])
  })

  test('is not reserved with RESERVE=false, for a second stage in an account', async () => {
    const second = await declare('production', reduced)
    expect(new Set(lambdasOf(second).map((one) => one.kept))).toEqual(new Set([undefined, -1]))
    await expect(declare('production', { RESERVE: 'no' })).rejects.toThrow(
      'RESERVE is no; it must be true or false',
    )
  })

  test('is not reserved in a new account with a low limit', async () => {
    const young = await declare('production', transitional)
    const stored = new Set(lambdasOf(young).map((one) => one.kept))
    expect(stored).toEqual(new Set([undefined, -1]))
  })
})

test('a setting of the deployment reaches the functions that list it, unchanged', () => {
  expect(variablesOf('web-agents')).toMatchObject({
    AGENT_IMAGE: settings.AGENT_IMAGE,
    ADMIN_EMAILS: settings.ADMIN_EMAILS,
    KILL_SWITCH: settings.KILL_SWITCH,
  })
})

test('an absent setting is omitted, and a configured address takes precedence', async () => {
  const other = await declare('production', reduced)
  const { environment } = other.one('aws:lambda/function:Function', 'WebAgentsFunction')
  expect(environment).not.toHaveProperty('variables.KILL_SWITCH')
  expect(environment).toHaveProperty('variables.WEB_URL', 'https://example.com')
})
