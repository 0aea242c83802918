import { describe, expect, test } from 'vitest'
import { planSizes } from '#shared/manifest/index.ts'
import { reduced } from './harness/combined.ts'
import { declare, declared } from './harness/declare.ts'
import { componentOf, roleStatements, statementsOf } from './harness/policies.ts'

const stack = declared()

const role = (name: string) =>
  `arn:aws:iam::123456789012:role/agent-platform-production-euw1-${name}`

test('each plan has one task definition', () => {
  const families = [...stack.all('aws:ecs/taskDefinition:TaskDefinition').values()].map(
    ({ family }) => family,
  )
  expect(families.toSorted()).toEqual(
    ['collective', 'label', 'network', 'solo'].map(
      (plan) => `agent-platform-production-agent-${plan}`,
    ),
  )
})

test('its cluster offers the spare capacity that smaller plans request, and does not use it by default', () => {
  const [lent] = stack.all('aws:ecs/clusterCapacityProviders:ClusterCapacityProviders').values()
  expect(lent?.capacityProviders).toEqual(['FARGATE', 'FARGATE_SPOT'])
  expect(lent?.defaultCapacityProviderStrategies).toBeUndefined()
})

describe.each(planSizes)('an agent of plan $plan', ({ plan, cpu, memoryMb }) => {
  const definition = () =>
    stack.one('aws:ecs/taskDefinition:TaskDefinition', componentOf(`agent-${plan}`))
  const container = () => {
    const containers = JSON.parse(String(definition().containerDefinitions)) as object[]
    expect(containers).toHaveLength(1)
    return containers[0]
  }

  test('has the size of its plan, on Fargate', () => {
    expect(definition()).toMatchObject({
      cpu: String(cpu),
      memory: String(memoryMb),
      requiresCompatibilities: ['FARGATE'],
      networkMode: 'awsvpc',
      runtimePlatform: { cpuArchitecture: 'ARM64', operatingSystemFamily: 'LINUX' },
      taskRoleArn: role('agent-task'),
      executionRoleArn: role('agent-execution'),
    })
  })

  test('cannot write to its image, gain privileges, or be root', () => {
    expect(container()).toMatchObject({
      user: 'node',
      privileged: false,
      readonlyRootFilesystem: true,
      linuxParameters: { initProcessEnabled: true, capabilities: { drop: ['ALL'] } },
    })
    expect(container()).not.toHaveProperty('linuxParameters.capabilities.add')
  })

  test('can write to its state and to /tmp', () => {
    expect(definition().volumes).toEqual([{ name: 'state' }, { name: 'scratch' }])
    expect(container()).toMatchObject({
      mountPoints: [
        { sourceVolume: 'state', containerPath: '/data' },
        { sourceVolume: 'scratch', containerPath: '/tmp' },
      ],
    })
  })

  test('has the health check of the contract, and 120 s to end', () => {
    expect(container()).toMatchObject({
      stopTimeout: 120,
      healthCheck: { interval: 30, timeout: 5, startPeriod: 20, retries: 5 },
    })
    expect(container()).toHaveProperty(
      'healthCheck.command',
      expect.arrayContaining([expect.stringContaining('http://127.0.0.1:18789/readyz')]),
    )
  })

  test('has no variables: they are set at each start', () => {
    expect(container()).not.toHaveProperty('environment')
    expect(container()).not.toHaveProperty('secrets')
  })

  test('logs into a group with a retention time', () => {
    const { name, retentionInDays } = stack.one('aws:cloudwatch/logGroup:LogGroup', 'AgentLogs')
    expect(container()).toHaveProperty(['logConfiguration', 'options', 'awslogs-group'], name)
    expect(retentionInDays).toBe(30)
  })
})

describe('the roles of agents', () => {
  test('can be assumed only by tasks of this account', () => {
    for (const name of ['AgentTaskRole', 'AgentExecutionRole']) {
      const { assumeRolePolicy, managedPolicyArns } = stack.one('aws:iam/role:Role', name)
      expect(managedPolicyArns ?? []).toEqual([])
      expect(statementsOf(assumeRolePolicy)).toMatchObject([
        {
          Principal: { Service: ['ecs-tasks.amazonaws.com'] },
          Condition: { StringEquals: { 'aws:SourceAccount': ['123456789012'] } },
        },
      ])
    }
  })

  test('give an agent no permission', () => {
    expect(roleStatements(stack, 'AgentTaskRole')).toEqual([])
  })

  test('let ECS create the log and pull the one image', () => {
    const statements = roleStatements(stack, 'AgentExecutionRole')
    expect(statements).toMatchObject([
      {
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: [
          'arn:aws:logs:eu-west-1:123456789012:log-group:/aws/ecs/agent-platform-production-agents:*',
        ],
      },
      { Resource: ['arn:aws:ecr:eu-west-1:123456789012:repository/agent'] },
      { Action: ['ecr:GetAuthorizationToken'], Resource: ['*'] },
    ])
  })

  test('pull nothing from an AWS registry if the image is elsewhere', async () => {
    const elsewhere = await declare('production', reduced)
    const actions = roleStatements(elsewhere, 'AgentExecutionRole').flatMap(({ Action }) => Action)
    expect(actions).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents'])
  })
})
