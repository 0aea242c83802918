import type { FunctionSpec } from '#shared/manifest/index.ts'
import type { Declared } from './declare.ts'
import type { Inputs } from './mocks.ts'

export interface Statement {
  Effect: 'Allow' | 'Deny'
  Action: string[]
  Resource: string[]
  Principal: Record<string, string[]>
  Condition: Record<string, Record<string, string[]>>
}

/** The statements of a policy document. */
export function statementsOf(document: unknown): Statement[] {
  return (JSON.parse(String(document)) as { Statement: Statement[] }).Statement
}

/** Returns the statements of a role's own policies. */
export function roleStatements(declared: Declared, role: string): Statement[] {
  const { inlinePolicies } = declared.one('aws:iam/role:Role', role)
  return ((inlinePolicies ?? []) as Inputs[]).flatMap(({ policy }) => statementsOf(policy))
}

/** Returns the statements of a role that allow an action. */
export function allowing(declared: Declared, role: string, action: string): Statement[] {
  return roleStatements(declared, role).filter(
    ({ Action, Effect }) => Effect === 'Allow' && Action.includes(action),
  )
}

/** Returns the component name of a manifest name: `task-events` is TaskEvents. */
export function componentOf(name: string): string {
  return name
    .split('-')
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('')
}

/** Returns whether a function is in the stage's VPC: because it reaches agents, or because it mounts files. */
export function inVpc({ grants, vpc }: FunctionSpec): boolean {
  return vpc === true || grants.some((grant) => 'files' in grant)
}

/** The S3 actions of each grant. */
export const objectActions = {
  videos: { put: ['s3:AbortMultipartUpload', 's3:PutObject'], link: ['s3:GetObject'] },
  packs: {
    serve: ['s3:AbortMultipartUpload', 's3:GetObject', 's3:PutObject'],
    sync: ['s3:GetObject', 's3:PutObject'],
    settle: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
    collect: ['s3:DeleteObject', 's3:GetObject'],
    archive: ['s3:AbortMultipartUpload', 's3:DeleteObject', 's3:GetObject', 's3:PutObject'],
  },
  mails: { read: ['s3:GetObject', 's3:ListBucket'], put: ['s3:PutObject'] },
  snapshots: {
    put: ['s3:PutObject'],
    write: ['s3:DeleteObject', 's3:PutObject'],
    all: ['s3:DeleteObject', 's3:GetObject', 's3:ListBucket', 's3:PutObject'],
  },
} as const

/** The condition on the tags that SST gives to every resource of the stage. */
export const ofStage = {
  StringEquals: {
    'aws:ResourceTag/sst:app': ['agent-platform'],
    'aws:ResourceTag/sst:stage': ['production'],
  },
}

/** The six actions that AWS requires on all resources, for a function in a VPC. */
export const networkActions = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
]
