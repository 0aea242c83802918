import type { FunctionSpec, Grant, QueueName } from '#shared/manifest/index.ts'
import { onContainers } from './container-permissions.ts'
import { mailResources, senders } from './mail.ts'
import { liveArn } from './names.ts'
import { onMails, onPacks, onSnapshots, onVideos } from './object-permissions.ts'
import { queues } from './queues.ts'
import type { Statement } from './statement.ts'
import { indexArns, table } from './storage.ts'
import { agentLogs } from './task-roles.ts'
import { walletKey } from './wallet-key.ts'
import { workspace } from './workspace.ts'

type Text = $util.Input<string>

/**
 * Returns the statements of a function's role: its grants, its log, its queue. Links and managed policies would allow more
 * than a function needs (dynamodb:*, sqs:*, ecs:*, all logs), so each action is listed here.
 */
export function permissionsOf(spec: FunctionSpec, logGroupArn: Text): Statement[] {
  const { trigger } = spec
  return [
    {
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [$interpolate`${logGroupArn}:*`],
    },
    ...(trigger.kind === 'queue' ? [consuming(trigger.queue)] : []),
    ...grantedTo(spec),
  ]
}

/** Returns the statements of the grants alone, wherever the function runs. */
export function grantedTo(spec: FunctionSpec): Statement[] {
  return [...spec.grants.flatMap(statementsOf), ...onAllQueues(spec), ...withoutMoney(spec)]
}

/** Partition prefixes of the wallets' keys (shared/network/signer/keys/rows.ts) and of what they pay (shared/network/splits/rows.ts). */
const partitions = { keys: ['signer#*'], payments: ['split#*', 'payer#*'] }

/**
 * Denies access to the rows of wallet keys, except for the function that seals keys, and to the rows of payments, except for
 * those that make them. The signer signs what payment rows request, so writing them is equivalent to holding the key.
 */
function withoutMoney({ grants }: FunctionSpec): Statement[] {
  if (!grants.some((grant) => 'table' in grant)) return []
  const rows = grants.find((grant) => 'rows' in grant)
  const hidden = [
    ...(grants.some((grant) => 'seal' in grant) ? [] : partitions.keys),
    ...(rows === undefined ? partitions.payments : []),
  ]
  const readOnly = rows?.rows === 'payments-to-read' ? partitions.payments : []
  return [...refusing(using('write'), hidden), ...refusing({ actions: writing }, readOnly)]
}

/** @param values prefixes; an empty list denies nothing */
function refusing({ actions }: Pick<Statement, 'actions'>, values: string[]): Statement[] {
  if (values.length === 0) return []
  const condition = { test: 'ForAnyValue:StringLike', variable: 'dynamodb:LeadingKeys', values }
  const resources = [table.arn, ...indexArns]
  return [{ effect: 'deny', actions, resources, conditions: [condition] }]
}

function statementsOf(grant: Grant): Statement[] {
  if ('table' in grant) return [using(grant.table)]
  // Granted by the absence of a deny statement: see withoutMoney.
  if ('rows' in grant) return []
  if ('count' in grant) return [within(limitPartitions, ['dynamodb:UpdateItem'])]
  if ('claims' in grant)
    return [within(claimPartitions, ['dynamodb:GetItem', 'dynamodb:UpdateItem'])]
  if ('send' in grant)
    return [{ actions: ['sqs:SendMessage'], resources: [queues[grant.send].live.arn] }]
  if ('look' in grant)
    return [{ actions: ['sqs:GetQueueAttributes'], resources: [queues[grant.look].live.arn] }]
  // Granted together by onAllQueues.
  if ('depth' in grant || 'redrive' in grant) return []
  if ('containers' in grant) return onContainers(grant.containers)
  if ('logs' in grant)
    return [
      { actions: ['logs:GetLogEvents'], resources: [$interpolate`${agentLogs.arn}:log-stream:*`] },
    ]
  if ('invoke' in grant)
    return [{ actions: ['lambda:InvokeFunction'], resources: [liveArn(grant.invoke)] }]
  if ('videos' in grant) return onVideos(grant.videos)
  if ('snapshots' in grant) return onSnapshots(grant.snapshots)
  if ('packs' in grant) return onPacks(grant.packs)
  if ('mails' in grant) return onMails(grant.mails)
  if ('seal' in grant)
    return [
      {
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        resources: [walletKey.arn],
        // For one wallet only, which the request names.
        conditions: [
          {
            test: 'ForAllValues:StringEquals',
            variable: 'kms:EncryptionContextKeys',
            values: ['address', 'agentId'],
          },
          { test: 'Null', variable: 'kms:EncryptionContext:address', values: ['false'] },
          { test: 'Null', variable: 'kms:EncryptionContext:agentId', values: ['false'] },
        ],
      },
    ]
  if ('files' in grant) return mounting()
  return sending()
}

/** In IAM, the file system is the resource and the access point is a condition. */
function mounting(): Statement[] {
  if (workspace === undefined) return []
  return [
    {
      actions: ['elasticfilesystem:ClientMount', 'elasticfilesystem:ClientWrite'],
      resources: [workspace.fileSystemArn],
      conditions: [
        {
          test: 'StringEquals',
          variable: 'elasticfilesystem:AccessPointArn',
          values: [workspace.accessPointArn],
        },
      ],
    },
  ]
}

const reading = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query']
const writing = [
  'dynamodb:ConditionCheckItem',
  'dynamodb:DeleteItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
]

function using(access: 'read' | 'write'): Statement {
  return {
    actions: access === 'read' ? reading : [...reading, ...writing],
    resources: [table.arn, ...indexArns],
  }
}

/** The partition prefixes of rate limit counters (shared/http/limits/rows.ts, shared/platform/slots/rows.ts). */
const limitPartitions = ['limit#*', 'open#*']

/** The partition prefix of payment claims (shared/billing/payments/claims/rows.ts). */
const claimPartitions = ['payment#*']

/** Allows single rows of these partitions only. An action without a key in its request is denied. */
function within(partitions: string[], actions: string[]): Statement {
  return {
    actions,
    resources: [table.arn],
    conditions: [
      { test: 'ForAllValues:StringLike', variable: 'dynamodb:LeadingKeys', values: partitions },
      { test: 'Null', variable: 'dynamodb:LeadingKeys', values: ['false'] },
    ],
  }
}

/** The tags that SST gives to every resource of the stage. */
const ofStage = [
  { test: 'StringEquals', variable: 'aws:ResourceTag/sst:app', values: [$app.name] },
  { test: 'StringEquals', variable: 'aws:ResourceTag/sst:stage', values: [$app.stage] },
]

/**
 * Allows what the grants `depth` and `redrive` need on all queues: a redrive receives from a dead-letter queue and sends to its
 * source queue. SQS has one action for all attributes, including the counts; messages stay unreadable without a redrive. A role's
 * policies have at most 10,240 characters, so only the source queues are listed: the others are found by their tags and names.
 */
function onAllQueues({ grants }: FunctionSpec): Statement[] {
  const counting = {
    actions: ['sqs:GetQueueAttributes'],
    resources: [queuesLike('*')],
    conditions: ofStage,
  }
  const redriving = [
    { actions: ['sqs:SendMessage'], resources: Object.values(queues).map(({ live }) => live.arn) },
    {
      actions: ['sqs:DeleteMessage', 'sqs:ReceiveMessage'],
      resources: [queuesLike('*DeadQueue*')],
      conditions: ofStage,
    },
  ]
  return [
    ...(grants.some((grant) => 'depth' in grant) ? [counting] : []),
    ...(grants.some((grant) => 'redrive' in grant) ? redriving : []),
  ]
}

/** Returns the ARN of the account's queues whose names match. */
function queuesLike(name: string): Text {
  const { region } = aws.getRegionOutput()
  const { accountId } = aws.getCallerIdentityOutput()
  return $interpolate`arn:${aws.getPartitionOutput().partition}:sqs:${region}:${accountId}:${name}`
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

function sending(): Statement[] {
  if (mailResources.length === 0) return []
  return [
    {
      actions: ['ses:SendEmail'],
      resources: mailResources,
      conditions: [{ test: 'StringLike', variable: 'ses:FromAddress', values: senders }],
    },
  ]
}

/** Returns what Lambda needs to attach a function to a VPC. EC2 supports no narrower resource for these actions. */
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
      // The Lambda service attaches the function; the function's own code must not.
      effect: 'deny',
      actions,
      resources: ['*'],
      conditions: [
        // Also when a version of it is invoked.
        {
          test: 'ArnLike',
          variable: 'lambda:SourceFunctionArn',
          values: [functionArn, $interpolate`${functionArn}:*`],
        },
      ],
    },
  ]
}
