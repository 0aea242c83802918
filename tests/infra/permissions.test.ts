import { describe, expect, test } from 'vitest'
import { limitRows } from '#shared/http/limits/rows.ts'
import { functions, queues } from '#shared/manifest/index.ts'
import { declared } from './harness/declare.ts'
import {
  allowing,
  componentOf,
  inVpc,
  networkActions,
  objectActions,
  ofStage,
  roleStatements,
  statementsOf,
} from './harness/policies.ts'

const stack = declared()

const ofAccount = (service: string, rest: string) =>
  `arn:aws:${service}:eu-west-1:123456789012:${rest}`
const cluster = ofAccount('ecs', 'cluster/agent-platform-production-agents')
const inCluster = { ArnEquals: { 'ecs:cluster': [cluster] } }

const roleOf = (name: string) => `${componentOf(name)}Role`
const actionsOf = (name: string) =>
  new Set(
    roleStatements(stack, roleOf(name))
      .filter(({ Effect }) => Effect === 'Allow')
      .flatMap(({ Action }) => Action),
  )

describe.each(functions)('$name', (spec) => {
  test('has no managed policy, and only Lambda may take its role', () => {
    const role = stack.one('aws:iam/role:Role', roleOf(spec.name))
    expect(role.managedPolicyArns).toEqual([])
    expect(statementsOf(role.assumeRolePolicy)).toEqual([
      {
        Effect: 'Allow',
        Action: ['sts:AssumeRole'],
        Resource: [],
        Principal: { Service: ['lambda.amazonaws.com'] },
        Condition: {},
      },
    ])
  })

  test('has no wildcard action, and no wildcard resource except for actions without a resource', () => {
    for (const { Action, Condition, Effect, Resource } of roleStatements(
      stack,
      roleOf(spec.name),
    )) {
      for (const action of Action) expect(action).toMatch(/^[a-z0-9-]+:[A-Za-z]+$/)
      if (Effect === 'Deny') continue
      if (inVpc(spec) && Action.includes('ec2:CreateNetworkInterface')) {
        expect(Action.toSorted()).toEqual(networkActions)
        continue
      }
      if (Condition.StringEquals?.['aws:ResourceTag/sst:stage'] !== undefined) {
        expect([Condition, Resource]).toEqual([ofStage, [expect.stringMatching(/^arn:aws:sqs:/)]])
        continue
      }
      if (Action.includes('ecs:RegisterTaskDefinition')) {
        expect(Action).toEqual(['ecs:DescribeTaskDefinition', 'ecs:RegisterTaskDefinition'])
        continue
      }
      for (const resource of Resource)
        expect(resource).toMatch(
          // The ARN of an object in a bucket contains no account.
          /^arn:aws:[a-z0-9-]+:[a-z0-9-]*:123456789012:[^*]+(?:-\*)?[:/]\*$|^arn:aws:s3:::[^*]+\/(?:files|mails|mails\/out|snapshots|videos)\/\*$|^[^*]+$/,
        )
    }
  })

  test('has exactly the permissions of its grants', () => {
    const expected = new Set(['logs:CreateLogStream', 'logs:PutLogEvents'])
    const add = (...actions: string[]) => actions.forEach((action) => expected.add(action))
    if (spec.trigger.kind === 'queue')
      add(
        'sqs:ChangeMessageVisibility',
        'sqs:DeleteMessage',
        'sqs:GetQueueAttributes',
        'sqs:ReceiveMessage',
      )
    if (inVpc(spec)) add(...networkActions)
    for (const grant of spec.grants) {
      if ('table' in grant) add('dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query')
      if ('table' in grant && grant.table === 'write')
        add(
          'dynamodb:ConditionCheckItem',
          'dynamodb:DeleteItem',
          'dynamodb:PutItem',
          'dynamodb:UpdateItem',
        )
      if ('count' in grant) add('dynamodb:UpdateItem')
      if ('claims' in grant) add('dynamodb:GetItem', 'dynamodb:UpdateItem')
      if ('send' in grant) add('sqs:SendMessage')
      if ('look' in grant || 'depth' in grant) add('sqs:GetQueueAttributes')
      if ('redrive' in grant) add('sqs:DeleteMessage', 'sqs:ReceiveMessage', 'sqs:SendMessage')
      if ('mail' in grant) add('ses:SendEmail')
      if ('logs' in grant) add('logs:GetLogEvents')
      if ('invoke' in grant) add('lambda:InvokeFunction')
      if ('videos' in grant) add(...objectActions.videos[grant.videos])
      if ('snapshots' in grant) add(...objectActions.snapshots[grant.snapshots])
      if ('mails' in grant) add(...objectActions.mails[grant.mails])
      if ('packs' in grant) add('s3:ListBucket', ...objectActions.packs[grant.packs])
      if ('files' in grant) add('elasticfilesystem:ClientMount', 'elasticfilesystem:ClientWrite')
      if ('seal' in grant) add('kms:Decrypt', 'kms:GenerateDataKey')
      if ('containers' in grant && grant.containers === 'run')
        add('ecs:DescribeTaskDefinition', 'ecs:RegisterTaskDefinition')
      if ('containers' in grant && ['run', 'run-plans'].includes(grant.containers))
        add('ecs:RunTask', 'ecs:TagResource', 'iam:PassRole')
      if ('containers' in grant && grant.containers === 'stop') add('ecs:StopTask')
      if ('containers' in grant && grant.containers === 'look') add('ecs:DescribeClusters')
      if ('containers' in grant && grant.containers === 'describe')
        add('ecs:DescribeTasks', 'ecs:ListTasks')
    }
    expect(actionsOf(spec.name)).toEqual(expected)
  })

  test('lists only the folders of the bucket that it is granted', () => {
    const folders = spec.grants.flatMap((grant) => {
      if ('packs' in grant) return ['files/*']
      if ('mails' in grant && grant.mails === 'read') return ['mails/*']
      return 'snapshots' in grant && grant.snapshots === 'all' ? ['snapshots/*'] : []
    })
    const listing = allowing(stack, roleOf(spec.name), 's3:ListBucket')
    expect(new Set(listing.map(({ Condition }) => Condition))).toEqual(
      new Set(folders.map((folder) => ({ StringLike: { 's3:prefix': [folder] } }))),
    )
  })

  test('invokes only its granted functions, by name', () => {
    const granted = spec.grants.flatMap((grant) => ('invoke' in grant ? [grant.invoke] : []))
    const resources = allowing(stack, roleOf(spec.name), 'lambda:InvokeFunction').flatMap(
      ({ Resource }) => Resource,
    )
    expect(resources).toEqual(
      granted.map((name) => ofAccount('lambda', `function:agent-platform-production-${name}:live`)),
    )
  })

  test('sends only to its granted queues, and reads only its own', () => {
    const arnsOf = (names: readonly string[]) =>
      names.map((name) => ofAccount('sqs', `${componentOf(name)}QueueQueue`)).toSorted()
    const resourcesOf = (action: string) =>
      allowing(stack, roleOf(spec.name), action)
        .flatMap(({ Resource }) => Resource)
        .toSorted()
    const sent = spec.grants.flatMap((grant) => ('send' in grant ? [grant.send] : []))
    const all = spec.grants.some((grant) => 'redrive' in grant)
      ? queues.map(({ name }) => name)
      : []
    expect(resourcesOf('sqs:SendMessage')).toEqual(arnsOf([...sent, ...all]))
    const own = spec.trigger.kind === 'queue' ? [spec.trigger.queue] : []
    const dead = all.length === 0 ? [] : [ofAccount('sqs', '*DeadQueue*')]
    expect(resourcesOf('sqs:ReceiveMessage')).toEqual([...dead, ...arnsOf(own)])
  })
})

test.each(['BackendSystemRole', 'WebSystemRole'])(
  '%s, which is public, can neither describe tasks nor read messages',
  (role) => {
    const statements = roleStatements(stack, role).filter(({ Effect }) => Effect === 'Allow')
    const ofEngines = statements
      .flatMap(({ Action, Resource }) => Action.map((action) => [action, ...Resource]))
      .filter(([action]) => /^(ecs|sqs|ssm|secretsmanager|kms):/.test(action ?? ''))
    const queue = [
      'sqs:GetQueueAttributes',
      ofAccount('sqs', `${componentOf('provisioning')}QueueQueue`),
    ]
    expect(ofEngines).toEqual(
      role === 'WebSystemRole' ? [queue] : [queue, ['ecs:DescribeClusters', cluster]],
    )
  },
)

describe('the tools of operators', () => {
  const role = 'BackendInfraMcpRole'

  test('read the table, and write only the counts of requests', () => {
    const writing = roleStatements(stack, role).filter(
      ({ Action, Effect }) =>
        Effect === 'Allow' &&
        Action.some((action) => /^dynamodb:(?!BatchGetItem|GetItem|Query)/.test(action)),
    )
    expect(writing).toEqual([
      expect.objectContaining({
        Action: ['dynamodb:UpdateItem'],
        Resource: [ofAccount('dynamodb', 'table/TableTable')],
        Condition: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['limit#*', 'open#*'] },
          Null: { 'dynamodb:LeadingKeys': ['false'] },
        },
      }),
    ])
    const counts = limitRows.key({ surface: 'backend', block: '192.0.2.1', start: '0' })
    expect(counts.pk.startsWith('limit#')).toBe(true)
  })

  test('read the number of messages of every queue and its dead-letter queue, and no message', () => {
    const ofQueues = roleStatements(stack, role).filter(({ Action }) =>
      Action.some((action) => action.startsWith('sqs:')),
    )
    expect(ofQueues).toMatchObject([
      {
        Effect: 'Allow',
        Action: ['sqs:GetQueueAttributes'],
        Resource: [ofAccount('sqs', '*')],
        Condition: ofStage,
      },
    ])
  })
})

test('the table is granted by its ARN and the ARN of its index', () => {
  for (const { Resource } of allowing(stack, 'WebAccountsRole', 'dynamodb:Query'))
    expect(Resource).toEqual([
      ofAccount('dynamodb', 'table/TableTable'),
      ofAccount('dynamodb', 'table/TableTable/index/gsi1'),
    ])
})

describe('starting agents', () => {
  test.each([
    ['ProvisioningRole', ['', ':*', '-*:*']],
    // It starts no task definitions with other images.
    ['WarmPoolRole', ['', ':*']],
  ])('is allowed only for the families of this stage, in this cluster: %s', (role, forms) => {
    const families = ['label', 'solo', 'collective', 'network'].flatMap((plan) =>
      forms.map((form) =>
        ofAccount('ecs', `task-definition/agent-platform-production-agent-${plan}${form}`),
      ),
    )
    expect(allowing(stack, role, 'ecs:RunTask')).toMatchObject([
      { Action: ['ecs:RunTask'], Resource: families, Condition: inCluster },
    ])
  })

  test('passes the two roles of agents, only to ECS', () => {
    expect(allowing(stack, 'ProvisioningRole', 'iam:PassRole')).toMatchObject([
      {
        Action: ['iam:PassRole'],
        Resource: [
          'arn:aws:iam::123456789012:role/agent-platform-production-euw1-agent-execution',
          'arn:aws:iam::123456789012:role/agent-platform-production-euw1-agent-task',
        ],
        Condition: { StringEquals: { 'iam:PassedToService': ['ecs-tasks.amazonaws.com'] } },
      },
    ])
  })

  test('tags a task only at its start', () => {
    expect(allowing(stack, 'ProvisioningRole', 'ecs:TagResource')).toMatchObject([
      {
        Resource: [ofAccount('ecs', 'task/agent-platform-production-agents/*')],
        Condition: { StringEquals: { 'ecs:CreateAction': ['RunTask'] } },
      },
    ])
  })

  test('starting, stopping and describing tasks is allowed only in this cluster', () => {
    const tasks = ofAccount('ecs', 'task/agent-platform-production-agents/*')
    for (const action of ['ecs:StopTask', 'ecs:DescribeTasks'])
      expect(allowing(stack, 'ProvisioningRole', action)).toMatchObject([
        { Resource: [tasks], Condition: inCluster },
      ])
    expect(allowing(stack, 'ProvisioningRole', 'ecs:ListTasks')).toMatchObject([
      {
        Resource: [ofAccount('ecs', 'container-instance/agent-platform-production-agents/*')],
        Condition: inCluster,
      },
    ])
  })
})

test('the environment of tasks is readable by no function with a public route', () => {
  const describing = functions.filter(({ name }) => actionsOf(name).has('ecs:DescribeTasks'))
  const names = describing.map(({ name }) => name)
  expect(names.toSorted()).toEqual(['orphan-tasks', 'provisioning', 'task-states', 'warm-pool'])
  expect(describing.filter(({ trigger }) => trigger.kind === 'http')).toEqual([])
})

test('videos are written by their job and read by links of the web, below one prefix', () => {
  const resource = [expect.stringMatching(/^arn:aws:s3:::[\w-]+\/videos\/\*$/)]
  expect(allowing(stack, 'VideosRole', 's3:PutObject')).toMatchObject([{ Resource: resource }])
  expect(allowing(stack, 'WebVideosRole', 's3:GetObject')).toMatchObject([{ Resource: resource }])
})

test('the code of a function in the VPC may not change network interfaces itself', () => {
  for (const { name } of functions.filter(inVpc)) {
    const denied = roleStatements(stack, roleOf(name)).filter(
      ({ Action, Effect }) => Effect === 'Deny' && Action.some((one) => one.startsWith('ec2:')),
    )
    const self = ofAccount('lambda', `function:agent-platform-production-${name}`)
    expect(denied).toMatchObject([
      { Condition: { ArnLike: { 'lambda:SourceFunctionArn': [self, `${self}:*`] } } },
    ])
    expect(denied[0]?.Action.toSorted()).toEqual(networkActions)
  }
})
