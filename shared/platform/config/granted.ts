import type { DeclaredFunction, QueueName } from '#shared/manifest/functions.ts'
import type { Config } from './load.ts'

type Queue = 'SQS_ENDPOINT'

/** The variables that the stacks set for each kind of grant. */
interface VariablesByGrant {
  table: 'TABLE_NAME' | 'DYNAMODB_ENDPOINT'
  rows: never
  count: 'TABLE_NAME' | 'DYNAMODB_ENDPOINT'
  claims: 'TABLE_NAME' | 'DYNAMODB_ENDPOINT'
  send: Queue
  look: Queue
  depth: Queue
  redrive: Queue
  containers:
    | 'ECS_ENDPOINT'
    | 'CLUSTER'
    | 'TASK_FAMILY_PREFIX'
    | 'SUBNETS'
    | 'SECURITY_GROUP'
    | 'PUBLIC_ADDRESS'
  mail: 'SES_ENDPOINT'
  logs: 'LOGS_ENDPOINT' | 'AGENT_LOG_GROUP'
  invoke: 'LAMBDA_ENDPOINT' | 'SIGNER_FUNCTION'
  videos: 'S3_ENDPOINT' | 'OBJECTS_BUCKET' | 'OBJECT_LINKS_KEY'
  snapshots: 'S3_ENDPOINT' | 'OBJECTS_BUCKET'
  mails: 'S3_ENDPOINT' | 'OBJECTS_BUCKET'
  packs: 'S3_ENDPOINT' | 'OBJECTS_BUCKET' | 'OBJECT_LINKS_KEY'
  seal: never
  files: never
}

/** The variables that the stacks set for each kind of trigger. */
interface VariablesByTrigger {
  http: 'RATE_LIMITS'
  queue: Queue
  schedule: never
  invoke: never
}

/** The variables that the stacks set for every function. */
type VariablesOfAll = 'FUNCTION_NAME' | 'PLATFORM_STAGE' | 'deployed'

type KindOf<Grant> = Grant extends unknown ? keyof Grant : never

type Granted<Spec extends DeclaredFunction> =
  | Spec['settings'][number]
  | Spec['secrets'][number]
  | VariablesOfAll
  | VariablesByGrant[KindOf<Spec['grants'][number]>]
  | VariablesByTrigger[Spec['trigger']['kind']]
  // Only a function with the setting of a real provider gets the stand-in.
  | ('AI_BASE_URL' extends Spec['settings'][number] ? 'STAND_IN_PROVIDER_URL' : never)

/** The queues in a grant or a trigger. */
type QueueOf<Named> = Named extends { depth: 'queues' } | { redrive: 'queues' }
  ? QueueName
  : Named extends { send: infer Queue } | { look: infer Queue } | { queue: infer Queue }
    ? Queue
    : never

type NamedQueues<Spec extends DeclaredFunction> = QueueOf<Spec['grants'][number] | Spec['trigger']>

type QueueNames = { [Spec in DeclaredFunction as Spec['name']]: NamedQueues<Spec> }

type GrantedByName = { [Spec in DeclaredFunction as Spec['name']]: Granted<Spec> }

/**
 * The configuration that the manifest grants to a function. Reading a setting that is not granted does not compile,
 * because it would always have its default. This file contains only types, so that no bundle contains the manifest.
 */
export type ConfigOf<Name extends keyof GrantedByName> = Pick<Config, GrantedByName[Name]> &
  ([QueueNames[Name]] extends [never] ? unknown : { queueUrl: (queue: QueueNames[Name]) => string })
