import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { unprotected } from './harness/combined.ts'
import { declare, type Declared, declared, secretValue } from './harness/declare.ts'
import { root } from './harness/paths.ts'
import { roleStatements, statementsOf } from './harness/policies.ts'
import { port, securityRules } from './harness/security-rules.ts'

const certificate = 'arn:aws:acm:eu-west-1:123456789012:certificate/agents'

let stack: Declared

beforeAll(async () => {
  stack = await declare('production', {
    AGENTS_CERTIFICATE_ARN: certificate,
    AGENTS_DOMAIN: 'agents.example.com',
  })
})

const rulesOf = (direction: 'Ingress' | 'Egress', group: string) =>
  new Set(securityRules(stack, direction, group))

function container(): Record<string, unknown> {
  const { containerDefinitions } = stack.one('aws:ecs/taskDefinition:TaskDefinition', 'RouterTask')
  const containers = JSON.parse(String(containerDefinitions)) as Record<string, unknown>[]
  expect(containers).toHaveLength(1)
  return containers[0] ?? {}
}

const environment = () =>
  Object.fromEntries(
    (container().environment as { name: string; value: string }[]).map(({ name, value }) => [
      name,
      value,
    ]),
  )

test('without a certificate for the agents’ hosts, there is no router', async () => {
  expect(() => declared().all('aws:lb/loadBalancer:LoadBalancer')).toThrow('nothing of type')
  expect(() => declared().all('aws:ecs/service:Service')).toThrow('nothing of type')
  await expect(
    declare('production', { AGENTS_CERTIFICATE_ARN: certificate, AGENTS_DOMAIN: '' }),
  ).rejects.toThrow('AGENTS_DOMAIN is not')
})

describe('the network routes', () => {
  test('lead from the internet only to the load balancer, by TLS', () => {
    const groups = stack.all('aws:ec2/securityGroup:SecurityGroup')
    const open = [...groups.keys()].filter((group) =>
      [...rulesOf('Ingress', group)].some(({ cidrIpv4, cidrIpv6 }) => cidrIpv4 ?? cidrIpv6),
    )
    expect(open).toEqual(['RouterEntrance'])
    expect(rulesOf('Ingress', 'RouterEntrance')).toEqual(
      new Set([
        { securityGroupId: 'RouterEntrance-id', cidrIpv4: '0.0.0.0/0', ...port(443) },
        { securityGroupId: 'RouterEntrance-id', cidrIpv6: '::/0', ...port(443) },
      ]),
    )
    expect(stack.one('aws:lb/listener:Listener', 'RouterListener')).toMatchObject({
      protocol: 'HTTPS',
      port: 443,
      certificateArn: certificate,
      sslPolicy: 'ELBSecurityPolicy-TLS13-1-2-2021-06',
    })
    expect(stack.all('aws:lb/listener:Listener').size).toBe(1)
  })

  test('lead from the load balancer to the router, and from there to agents’ gateways', () => {
    const between = (from: string, to: string, number: number) => ({
      out: {
        securityGroupId: `${from}-id`,
        referencedSecurityGroupId: `${to}-id`,
        ...port(number),
      },
      in: { securityGroupId: `${to}-id`, referencedSecurityGroupId: `${from}-id`, ...port(number) },
    })
    const toRouter = between('RouterEntrance', 'Router', 8080)
    const toAgents = between('Router', 'Agents', 18789)
    expect(rulesOf('Egress', 'RouterEntrance')).toEqual(new Set([toRouter.out]))
    expect(rulesOf('Ingress', 'Router')).toEqual(new Set([toRouter.in]))
    expect(rulesOf('Egress', 'Router')).toEqual(
      new Set([
        toAgents.out,
        { securityGroupId: 'Router-id', cidrIpv4: '0.0.0.0/0', ...port(443) },
      ]),
    )
    expect(rulesOf('Ingress', 'Agents')).toEqual(
      new Set([
        { securityGroupId: 'Agents-id', referencedSecurityGroupId: 'Functions-id', ...port(18789) },
        toAgents.in,
      ]),
    )
  })
})

test('the load balancer rejects ambiguous requests, and waits for slow ones', () => {
  expect(stack.one('aws:lb/loadBalancer:LoadBalancer', 'RouterBalancer')).toMatchObject({
    internal: false,
    idleTimeout: 900,
    desyncMitigationMode: 'strictest',
    dropInvalidHeaderFields: true,
    preserveHostHeader: true,
  })
})

test('the load balancer of a stage that is kept is protected, until the stage is removed', async () => {
  const settings = { AGENTS_CERTIFICATE_ARN: certificate, AGENTS_DOMAIN: 'agents.example.com' }
  const [kept, removed] = await Promise.all([
    declare('production', settings),
    declare('production', unprotected),
  ])
  const balancerOf = (of: Declared) => of.one('aws:lb/loadBalancer:LoadBalancer', 'RouterBalancer')
  expect(balancerOf(kept)).toMatchObject({ enableDeletionProtection: true })
  expect(balancerOf(removed)).toMatchObject({ enableDeletionProtection: false })
  expect(removed.app).toMatchObject({ protect: false, removal: 'retain' })
})

describe('the router', () => {
  test('runs twice, apart from the agents, and rolls back when a new version does not start', () => {
    const service = stack.one('aws:ecs/service:Service', 'RouterService')
    expect(service).toMatchObject({
      cluster: 'arn:aws:ecs:eu-west-1:123456789012:cluster/agent-platform-production-router',
      desiredCount: 2,
      launchType: 'FARGATE',
      networkConfiguration: { securityGroups: ['Router-id'], assignPublicIp: true },
      deploymentMinimumHealthyPercent: 100,
      deploymentCircuitBreaker: { enable: true, rollback: true },
    })
  })

  test('is Caddy with the tested configuration, connected to the gate', async () => {
    expect(container()).toMatchObject({
      image: expect.stringMatching(
        /^public\.ecr\.aws\/docker\/library\/caddy:2\.10\.2-alpine@sha256:[0-9a-f]{64}$/,
      ),
      entryPoint: ['/bin/sh', '-c'],
      command: [expect.stringContaining('caddy run --adapter caddyfile --config -')],
    })
    expect(environment()).toEqual({
      AGENTS_DOMAIN: 'agents.example.com',
      CADDYFILE: await readFile(join(root, 'stacks/router/Caddyfile'), 'utf8'),
      GATE_ORIGIN: 'https://BackendStreams-id.execute-api.eu-west-1.amazonaws.com',
      GATE_PATH: '/live/api/gate',
      PORT: '8080',
      SOCKET_LIMIT: 'stream_timeout 15m',
    })
  })

  test('is another copy of Caddy if one is configured by digest, and not by a tag alone', async () => {
    const settings = { AGENTS_CERTIFICATE_ARN: certificate, AGENTS_DOMAIN: 'agents.example.com' }
    const declaredWith = await declare('production', unprotected)
    const { containerDefinitions } = declaredWith.one(
      'aws:ecs/taskDefinition:TaskDefinition',
      'RouterTask',
    )
    expect(String(containerDefinitions)).toContain(`"${unprotected.ROUTER_IMAGE}"`)
    await expect(
      declare('production', { ...settings, ROUTER_IMAGE: 'registry.example.com/caddy:2' }),
    ).rejects.toThrow('ROUTER_IMAGE is registry.example.com/caddy:2; it must end with the digest')
  })

  test('cannot write to its image, gain privileges, or be root', () => {
    expect(container()).toMatchObject({
      user: '65534:65534',
      privileged: false,
      readonlyRootFilesystem: true,
    })
    expect(container()).not.toHaveProperty('linuxParameters.capabilities.add')
    expect(container()).toHaveProperty(
      'linuxParameters.capabilities.drop',
      expect.arrayContaining(['DAC_OVERRIDE', 'NET_RAW', 'SETUID', 'SYS_CHROOT']),
    )
  })

  test('gets its secret from ECS, and nowhere else', () => {
    expect(container().secrets).toEqual([
      { name: 'ROUTER_SECRET', valueFrom: 'arn:aws:mock:eu-west-1:123456789012:RouterSecret' },
    ])
    const parameter = stack.one('aws:ssm/parameter:Parameter', 'RouterSecret')
    expect(parameter).toMatchObject({
      type: 'SecureString',
      value: secretValue('ROUTER_SECRET'),
    })
    const withSecret = stack.registrations.filter(({ inputs }) =>
      JSON.stringify(inputs).includes(secretValue('ROUTER_SECRET')),
    )
    expect(withSecret.map(({ type }) => type)).not.toContain(
      'aws:ecs/taskDefinition:TaskDefinition',
    )
    const { secrets } = stack.registrations.find(
      ({ name, type }) => name === 'RouterSecret' && type === 'aws:ssm/parameter:Parameter',
    ) ?? { secrets: [] }
    expect(secrets).toContain('value')
  })

  test('has no AWS permission, and ECS only the permissions of its start', () => {
    const task = stack.one('aws:ecs/taskDefinition:TaskDefinition', 'RouterTask')
    expect(task.taskRoleArn).toBeUndefined()
    const { assumeRolePolicy, managedPolicyArns } = stack.one(
      'aws:iam/role:Role',
      'RouterExecutionRole',
    )
    expect(managedPolicyArns ?? []).toEqual([])
    expect(statementsOf(assumeRolePolicy)).toMatchObject([
      { Condition: { StringEquals: { 'aws:SourceAccount': ['123456789012'] } } },
    ])
    expect(roleStatements(stack, 'RouterExecutionRole')).toMatchObject([
      {
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: [
          'arn:aws:logs:eu-west-1:123456789012:log-group:/aws/ecs/agent-platform-production-router:*',
        ],
      },
      {
        Action: ['ssm:GetParameters'],
        Resource: ['arn:aws:mock:eu-west-1:123456789012:RouterSecret'],
      },
    ])
  })

  test('raises an alarm when it does not respond', () => {
    expect(
      stack.one('aws:cloudwatch/metricAlarm:MetricAlarm', 'RouterUnhealthyAlarm'),
    ).toMatchObject({
      namespace: 'AWS/ApplicationELB',
      metricName: 'UnHealthyHostCount',
      threshold: 1,
    })
  })
})
