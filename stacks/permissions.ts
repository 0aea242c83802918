import { cluster, taskDefinitions } from './containers.ts'
import { mail, senderAddress } from './mail.ts'
import type { FunctionSpec, Grant, QueueName } from '../shared/manifest/index.ts'
import { queues } from './queues.ts'
import { indexArns, table } from './storage.ts'
import { agentLogs, executionRole, taskRole } from './task-roles.ts'

type Text = $util.Input<string>

/** One IAM statement, in the form that `sst.aws.Function` takes. */
export interface Statement {
  effect?: 'allow' | 'deny'
  actions: string[]
  resources: Text[]
  conditions?: { test: string; variable: string; values: Text[] }[]
}

/**
 * What a function's role allows: its grants, its own log, its own queue. Links and managed policies would allow more
 * than a function needs (dynamodb:*, sqs:*, ecs:*, every log), so each action is named here.
 */
export function permissionsOf(spec: FunctionSpec, logGroupArn: Text): Statement[] {
  const { trigger } = spec
  return [
    {
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [$interpolate`${logGroupArn}:*`],
    },
    ...(trigger.kind === 'queue' ? [consuming(trigger.queue)] : []),
    ...spec.grants.flatMap(statementsOf),
  ]
}

function statementsOf(grant: Grant): Statement[] {
  if ('table' in grant) return [using(grant.table)]
  if ('send' in grant)
    return [{ actions: ['sqs:SendMessage'], resources: [queues[grant.send].live.arn] }]
  if ('look' in grant)
    return [{ actions: ['sqs:GetQueueAttributes'], resources: [queues[grant.look].live.arn] }]
  if ('containers' in grant) return containerStatements[grant.containers]()
  if ('logs' in grant)
    return [
      { actions: ['logs:GetLogEvents'], resources: [$interpolate`${agentLogs.arn}:log-stream:*`] },
    ]
  return sending()
}

function using(access: 'read' | 'write'): Statement {
  const reading = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query']
  const writing = [
    'dynamodb:ConditionCheckItem',
    'dynamodb:DeleteItem',
    'dynamodb:PutItem',
    'dynamodb:UpdateItem',
  ]
  return {
    actions: access === 'read' ? reading : [...reading, ...writing],
    resources: [table.arn, ...indexArns],
  }
}

function consuming(queue: QueueName): Statement {
  return {
    actions: [
      'sqs:ChangeMessageVisibility',
      'sqs:DeleteMessage',
      'sqs:GetQueueAttributes',
      'sqs:ReceiveMessage',
    ],
    resources: [queues[queue].live.arn],
  }
}

const clusterArn = cluster.nodes.cluster.arn
const inCluster = { test: 'ArnEquals', variable: 'ecs:cluster', values: [clusterArn] }

/** The ARN pattern of everything of a kind in the cluster. */
const ofCluster = (kind: 'task' | 'container-instance') =>
  clusterArn.apply((arn) => `${arn.replace(':cluster/', `:${kind}/`)}/*`)

const containerStatements: Record<'run' | 'stop' | 'describe' | 'look', () => Statement[]> = {
  run: () => [
    {
      actions: ['ecs:RunTask'],
      // Any revision: an agent may be started again while a deployment registers the next one.
      resources: taskDefinitions.flatMap(({ arnWithoutRevision }) => [
        // The family as a request names it, and every revision of it.
        arnWithoutRevision,
        $interpolate`${arnWithoutRevision}:*`,
        // The family's copies with other images.
        $interpolate`${arnWithoutRevision}-*:*`,
      ]),
      conditions: [inCluster],
    },
    {
      // Neither knows a resource. What is registered runs only under the names above, and with no roles but those below.
      actions: ['ecs:DescribeTaskDefinition', 'ecs:RegisterTaskDefinition'],
      resources: ['*'],
    },
    {
      actions: ['ecs:TagResource'],
      resources: [ofCluster('task')],
      conditions: [{ test: 'StringEquals', variable: 'ecs:CreateAction', values: ['RunTask'] }],
    },
    {
      actions: ['iam:PassRole'],
      resources: [executionRole.arn, taskRole.arn],
      conditions: [
        {
          test: 'StringEquals',
          variable: 'iam:PassedToService',
          values: ['ecs-tasks.amazonaws.com'],
        },
      ],
    },
  ],
  stop: () => [
    { actions: ['ecs:StopTask'], resources: [ofCluster('task')], conditions: [inCluster] },
  ],
  describe: () => [
    { actions: ['ecs:DescribeTasks'], resources: [ofCluster('task')], conditions: [inCluster] },
    {
      actions: ['ecs:ListTasks'],
      // What ECS checks for it, on Fargate too, is the container instances of the cluster.
      resources: [ofCluster('container-instance')],
      conditions: [inCluster],
    },
  ],
  look: () => [{ actions: ['ecs:DescribeClusters'], resources: [clusterArn] }],
}

function sending(): Statement[] {
  if (mail === undefined) return []
  return [
    {
      actions: ['ses:SendEmail'],
      resources: [mail.nodes.identity.arn, mail.nodes.configurationSet.arn],
      conditions: [{ test: 'StringEquals', variable: 'ses:FromAddress', values: [senderAddress] }],
    },
  ]
}

/** What Lambda itself needs to plug a function into a VPC; EC2 knows no narrower resource for it than everything. */
export function networkStatements(functionArn: Text): Statement[] {
  const actions = [
    'ec2:AssignPrivateIpAddresses',
    'ec2:CreateNetworkInterface',
    'ec2:DeleteNetworkInterface',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribeSubnets',
    'ec2:UnassignPrivateIpAddresses',
  ]
  return [
    { actions, resources: ['*'] },
    {
      // The service plugs it in; the code inside may not.
      effect: 'deny',
      actions,
      resources: ['*'],
      conditions: [
        { test: 'ArnEquals', variable: 'lambda:SourceFunctionArn', values: [functionArn] },
      ],
    },
  ]
}
