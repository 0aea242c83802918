import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { functions } from '#shared/manifest/index.ts'
import type { FunctionSpec, Surface } from '#shared/manifest/index.ts'
import { declare, declared, secretValue } from './harness/declare.ts'
import type { Inputs } from './harness/mocks.ts'
import { root } from './harness/paths.ts'
import { componentOf, networkActions, roleStatements, statementsOf } from './harness/policies.ts'
import { port, securityRules } from './harness/security-rules.ts'

const image = `123456789012.dkr.ecr.eu-west-1.amazonaws.com/services@sha256:${'1'.repeat(64)}`
const able = functions.filter(({ service }) => service !== undefined)

const ownLog = new Set(['logs:CreateLogStream', 'logs:PutLogEvents'])

const onSurface = ({ trigger }: FunctionSpec, surface: Surface) =>
  trigger.kind === 'http' && trigger.surface === surface

const stack = await declare('production', {
  SERVICES: able.map(({ name }) => name).join(', '),
  SERVICE_IMAGE: image,
})

test('a stage without configured services declares no service', () => {
  const types = new Set(declared().registrations.map(({ type }) => type))
  for (const type of ['aws:cloudfront/vpcOrigin:VpcOrigin', 'aws:appautoscaling/target:Target'])
    expect(types).not.toContain(type)
})

test('only functions that the manifest allows can be services, from a pinned image', async () => {
  await expect(
    declare('production', { SERVICES: 'web-auth', SERVICE_IMAGE: image }),
  ).rejects.toThrow(
    `SERVICES names web-auth, which cannot be a service; these can: ${able.map(({ name }) => name).join(', ')}`,
  )
  await expect(
    declare('production', {
      SERVICES: 'backend-ai',
      SERVICE_IMAGE: 'registry.example.com/services:1',
    }),
  ).rejects.toThrow('SERVICE_IMAGE is registry.example.com/services:1; SERVICES need the image')
})

test('the image is pinned by its digest, runs without root, and contains only Node', async () => {
  const text = await readFile(join(root, 'stacks/service/Dockerfile'), 'utf8')
  expect(text).toMatch(/^FROM \S+:nonroot@sha256:[0-9a-f]{64}$/m)
  expect(text).toMatch(/^USER 65532:65532$/m)
  expect(text).not.toMatch(/^RUN /m)
})

describe.each(able)('the service of $name', (spec) => {
  const { name, secrets, service, settings, timeoutSeconds, trigger } = spec
  const component = componentOf(name)
  if (trigger.kind !== 'http' || service === undefined) throw new Error(`${name} is not a service`)
  const surface = componentOf(trigger.surface)

  const task = () => stack.one('aws:ecs/taskDefinition:TaskDefinition', `${component}Task`)
  const container = () =>
    (JSON.parse(String(task().containerDefinitions)) as Record<string, unknown>[])[0] ?? {}
  const named = (list: unknown, value: string) =>
    Object.fromEntries((list as Record<string, string>[]).map((each) => [each.name, each[value]]))

  test('replaces the Lambda completely', () => {
    const lambdas = [...stack.all('aws:lambda/function:Function').values()].map((each) => each.name)
    expect(lambdas).not.toContain(`agent-platform-production-${name}`)
    const methods = JSON.stringify([...stack.all('aws:apigateway/integration:Integration').keys()])
    for (const prefix of trigger.prefixes) {
      const path = prefix.split('/').map(componentOf).join('')
      expect(methods).not.toContain(`${surface}Stream${path}Integration`)
    }
  })

  test('has the same AWS permissions as the Lambda, except for logs', () => {
    const plain = (role: string, from = stack) =>
      roleStatements(from, role)
        .filter(({ Action }) => !Action.some((action) => ownLog.has(action)))
        // A Lambda function attaches to the network by its own role; ECS attaches a task.
        .filter(({ Action }) => !Action.some((action) => networkActions.includes(action)))
        .map(({ Effect, Action, Resource, Condition }) => ({ Effect, Action, Resource, Condition }))
    const granted = plain(`${component}TaskRole`)
    expect(granted).toEqual(plain(`${component}Role`, declared()))
    expect(granted.length).toBeGreaterThan(0)
    for (const role of ['TaskRole', 'ExecutionRole']) {
      const { assumeRolePolicy, managedPolicyArns } = stack.one(
        'aws:iam/role:Role',
        `${component}${role}`,
      )
      expect(managedPolicyArns ?? []).toEqual([])
      expect(statementsOf(assumeRolePolicy)).toMatchObject([
        {
          Principal: { Service: ['ecs-tasks.amazonaws.com'] },
          Condition: { StringEquals: { 'aws:SourceAccount': ['123456789012'] } },
        },
      ])
    }
  })

  test('ECS has only the permissions of its start: its log, its secrets and its image', () => {
    const statements = roleStatements(stack, `${component}ExecutionRole`)
    expect(statements.flatMap(({ Action }) => Action).toSorted()).toEqual([
      'ecr:BatchCheckLayerAvailability',
      'ecr:BatchGetImage',
      'ecr:GetAuthorizationToken',
      'ecr:GetDownloadUrlForLayer',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'ssm:GetParameters',
    ])
    const { Resource } = statements.find(({ Action }) => Action.includes('ssm:GetParameters')) ?? {}
    expect(Resource).toHaveLength(secrets.length)
  })

  test('has the settings of the manifest in plain, and its secrets only from ECS', () => {
    const environment = named(container().environment, 'value')
    expect(Object.keys(environment)).toEqual(
      expect.arrayContaining([
        'FUNCTION_NAME',
        'PLATFORM_STAGE',
        'PORT',
        'TABLE_NAME',
        ...settings,
      ]),
    )
    expect(environment).toMatchObject({ FUNCTION_NAME: name, PORT: '8080' })
    const input = named(container().secrets, 'valueFrom')
    expect(Object.keys(input).toSorted()).toEqual(
      secrets.map((secret) => `SST_RESOURCE_${secret}`).toSorted(),
    )
    for (const secret of secrets) {
      const parameter = `ServiceSecret${secret}`
      expect(input[`SST_RESOURCE_${secret}`]).toContain(parameter)
      const { type, value } = stack.one('aws:ssm/parameter:Parameter', parameter)
      expect(type).toBe('SecureString')
      expect(JSON.parse(String(value))).toEqual({ value: secretValue(secret) })
      expect(String(task().containerDefinitions)).not.toContain(secretValue(secret))
    }
  })

  test('cannot write to its image, gain privileges, or be root, and has time to drain', () => {
    expect(task()).toMatchObject({
      cpu: String(service.cpu),
      memory: String(service.memoryMb),
      runtimePlatform: { cpuArchitecture: 'ARM64' },
    })
    expect(container()).toMatchObject({
      image,
      command: expect.arrayContaining([`/opt/services/${name}/index.cjs`]),
      user: '65532:65532',
      privileged: false,
      readonlyRootFilesystem: true,
      linuxParameters: { capabilities: { drop: ['ALL'] } },
      stopTimeout: 120,
    })
  })

  test('loses no stream to a deployment, and rolls back when a new version does not start', () => {
    const target = stack.one('aws:lb/targetGroup:TargetGroup', `${component}Target`)
    expect(Number(target.deregistrationDelay)).toBeGreaterThanOrEqual(timeoutSeconds)
    expect(target).toMatchObject({ healthCheck: { path: '/healthz' } })
    expect(stack.one('aws:ecs/service:Service', `${component}Service`)).toMatchObject({
      desiredCount: service.least,
      deploymentMinimumHealthyPercent: 100,
      deploymentCircuitBreaker: { enable: true, rollback: true },
    })
  })

  test('scales by its containers’ current requests, and by their processors', () => {
    expect(stack.one('aws:appautoscaling/target:Target', `${component}Scaling`)).toMatchObject({
      resourceId: `service/agent-platform-production-services/agent-platform-production-${name}`,
      minCapacity: service.least,
      maxCapacity: service.most,
    })
    const by = (what: string) =>
      stack.one('aws:appautoscaling/policy:Policy', `${component}ScalingBy${what}`)
        .targetTrackingScalingPolicyConfiguration
    expect(by('Streams')).toMatchObject({
      targetValue: service.underWay,
      customizedMetricSpecification: {
        namespace: 'AgentPlatform/production',
        metricName: 'RequestsUnderWay',
        statistic: 'Average',
        dimensions: [{ name: 'function', value: name }],
      },
    })
    expect(by('Processor')).toMatchObject({ targetValue: 60 })
  })

  test('is reached only through its surface’s address, through an internal load balancer', () => {
    expect(
      stack.one('aws:lb/loadBalancer:LoadBalancer', `${surface}ServicesBalancer`),
    ).toMatchObject({ internal: true, idleTimeout: 60 })
    expect(securityRules(stack, 'Ingress', `${surface}ServicesEntrance`)).toEqual([
      {
        securityGroupId: `${surface}ServicesEntrance-id`,
        prefixListId: 'pl-com.amazonaws.global.cloudfront.origin-facing',
        ...port(80),
      },
    ])
    const ways = securityRules(stack, 'Egress', `${surface}Services`)
    const toAgents = ways.some(({ referencedSecurityGroupId: to }) => to === 'Agents-id')
    expect(toAgents).toBe(able.some((each) => each.vpc && onSurface(each, trigger.surface)))
    expect(securityRules(stack, 'Ingress', `${surface}Services`)).toEqual([
      {
        securityGroupId: `${surface}Services-id`,
        referencedSecurityGroupId: `${surface}ServicesEntrance-id`,
        ...port(8080),
      },
    ])
    const edge = stack.one('aws:cloudfront/distribution:Distribution', `${surface}Edge`)
    expect(edge.origins).toContainEqual(
      expect.objectContaining({
        originId: 'services',
        customHeaders: [{ name: 'x-origin-secret', value: secretValue('ORIGIN_SECRET') }],
        vpcOriginConfig: expect.objectContaining({ vpcOriginId: `${surface}ServicesDoor-id` }),
      }),
    )
    const patterns = trigger.prefixes.flatMap((prefix) => [prefix, `${prefix}/*`])
    const led = (edge.orderedCacheBehaviors as Inputs[])
      .filter(({ targetOriginId }) => targetOriginId === 'services')
      .map(({ pathPattern }) => pathPattern)
    expect(led).toEqual(expect.arrayContaining(patterns))
    const rules = [...stack.all('aws:lb/listenerRule:ListenerRule').values()].flatMap(
      ({ conditions }) =>
        (conditions as { pathPattern: { values: string[] } }[]).flatMap(
          ({ pathPattern }) => pathPattern.values,
        ),
    )
    expect(rules).toEqual(expect.arrayContaining(patterns))
  })

  test('raises an alarm when it does not respond, or responds with errors', () => {
    const metricOf = (kind: string) =>
      stack.one('aws:cloudwatch/metricAlarm:MetricAlarm', `${component}${kind}Alarm`).metricName
    expect(metricOf('Unhealthy')).toBe('UnHealthyHostCount')
    expect(metricOf('-5xx')).toBe('HTTPCode_Target_5XX_Count')
  })
})
