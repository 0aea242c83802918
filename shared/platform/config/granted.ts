import type { DeclaredFunction, QueueName } from '../../manifest/functions.ts'
import type { Config } from './load.ts'

type Queue = 'SQS_ENDPOINT'

/** What the stacks tell a function of the engines behind each kind of grant. */
interface ToldByGrant {
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
  seal: never
  files: never
}

/** What they tell by the kind of its trigger. */
interface ToldByTrigger {
  http: 'RATE_LIMITS'
  queue: Queue
  schedule: never
  invoke: never
}

/** What they tell every function. */
type ToldAlways = 'FUNCTION_NAME' | 'PLATFORM_STAGE' | 'deployed'

type KindOf<Grant> = Grant extends unknown ? keyof Grant : never

type Granted<Spec extends DeclaredFunction> =
  | Spec['settings'][number]
  | Spec['secrets'][number]
  | ToldAlways
  | ToldByGrant[KindOf<Spec['grants'][number]>]
  | ToldByTrigger[Spec['trigger']['kind']]
  // Only a function that may be given a real provider may be given the stand-in.
  | ('AI_BASE_URL' extends Spec['settings'][number] ? 'STAND_IN_PROVIDER_URL' : never)

/** The queues that a grant or a trigger names. */
type QueueOf<Named> = Named extends { depth: 'queues' } | { redrive: 'queues' }
  ? QueueName
  : Named extends { send: infer Queue } | { look: infer Queue } | { queue: infer Queue }
    ? Queue
    : never

type NamedQueues<Spec extends DeclaredFunction> = QueueOf<Spec['grants'][number] | Spec['trigger']>

type QueueNames = { [Spec in DeclaredFunction as Spec['name']]: NamedQueues<Spec> }

type GrantedByName = { [Spec in DeclaredFunction as Spec['name']]: Granted<Spec> }

/**
 * The configuration of a function as the manifest grants it. A setting that it is not granted would always be the
 * default, so reading one does not compile. These are types alone: no bundle carries the manifest.
 */
export type ConfigOf<Name extends keyof GrantedByName> = Pick<Config, GrantedByName[Name]> &
  ([QueueNames[Name]] extends [never] ? unknown : { queueUrl: (queue: QueueNames[Name]) => string })
