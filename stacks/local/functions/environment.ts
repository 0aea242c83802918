import { join } from 'node:path'
import { queues, queueVariable } from '#shared/manifest/index.ts'
import type { FunctionSpec, QueueName } from '#shared/manifest/index.ts'
import { type LocalCredentials, localCredentials } from '../clients/credentials.ts'

/** Everything that functions can be granted: endpoints, names and values. */
export interface Platform {
  /** The folder that holds one folder for each function. */
  bundles: string
  /** Settings and secrets by name. */
  values: Partial<Record<string, string>>
  tableName: string
  clusterName: string
  queueUrls: Record<QueueName, string>
  endpoints: { dynamodb: string; sqs: string; ecs: string; ses: string; s3: string; lambda: string }
  objectLinksKey: string
  /** The credentials that the local engines require; absent if there are no local engines. */
  credentials?: LocalCredentials | undefined
  /** Base URL of the stand-in model provider, if no real one is configured. */
  standInProvider?: string | undefined
}

/**
 * Returns the whole environment of a function: the grants of the manifest and the variables that Lambda sets, nothing
 * else, so that a missing grant fails here as it does on AWS.
 */
export function functionEnvironment(
  spec: FunctionSpec,
  platform: Platform,
): Record<string, string> {
  const granted = [...spec.settings, ...spec.secrets]
    .map((name) => [name, platform.values[name]] as const)
    .filter((entry): entry is readonly [never, string] => entry[1] !== undefined)
  return {
    ...lambdaEnvironment(spec, platform.credentials ?? localCredentials()),
    LAMBDA_TASK_ROOT: join(platform.bundles, spec.name),
    PLATFORM_STAGE: 'local',
    FUNCTION_NAME: spec.name,
    ...(spec.trigger.kind === 'http' && pick(platform.values, 'RATE_LIMITS')),
    ...Object.fromEntries(granted),
    ...Object.assign({}, ...grantedPlaces(spec, platform)),
    ...standIn(spec, platform),
  }
}

function grantedPlaces(spec: FunctionSpec, platform: Platform): Record<string, string>[] {
  const { endpoints, queueUrls } = platform
  const places = spec.grants.map((grant): Record<string, string> => {
    if ('table' in grant || 'count' in grant || 'claims' in grant)
      return { TABLE_NAME: platform.tableName, DYNAMODB_ENDPOINT: endpoints.dynamodb }
    if ('send' in grant)
      return { SQS_ENDPOINT: endpoints.sqs, [queueVariable(grant.send)]: queueUrls[grant.send] }
    if ('look' in grant)
      return { SQS_ENDPOINT: endpoints.sqs, [queueVariable(grant.look)]: queueUrls[grant.look] }
    if ('depth' in grant || 'redrive' in grant)
      return {
        SQS_ENDPOINT: endpoints.sqs,
        ...Object.fromEntries(
          queues.map(({ name }) => [queueVariable(name), queueUrls[name]] as const),
        ),
      }
    if ('containers' in grant)
      return { ECS_ENDPOINT: endpoints.ecs, CLUSTER: platform.clusterName, TASK_FAMILY_PREFIX: '' }
    // The container engine stores the output of its tasks.
    if ('logs' in grant) return { LOGS_ENDPOINT: endpoints.ecs, AGENT_LOG_GROUP: 'agents' }
    if ('invoke' in grant)
      return { LAMBDA_ENDPOINT: endpoints.lambda, SIGNER_FUNCTION: grant.invoke }
    if ('packs' in grant)
      return {
        S3_ENDPOINT: endpoints.s3,
        ...((grant.packs === 'serve' || grant.packs === 'sync') && {
          OBJECT_LINKS_KEY: platform.objectLinksKey,
        }),
      }
    if ('snapshots' in grant || 'mails' in grant) return { S3_ENDPOINT: endpoints.s3 }
    if ('videos' in grant)
      return grant.videos === 'put'
        ? { S3_ENDPOINT: endpoints.s3 }
        : { OBJECT_LINKS_KEY: platform.objectLinksKey }
    // Row permissions do not exist in the local engine, keys are sealed with WALLET_ENCRYPTION_KEY, and files are read from
    // this machine.
    if ('rows' in grant || 'seal' in grant || 'files' in grant) return {}
    return { SES_ENDPOINT: endpoints.ses }
  })
  if (spec.trigger.kind === 'queue') {
    const { queue } = spec.trigger
    places.push({ SQS_ENDPOINT: endpoints.sqs, [queueVariable(queue)]: queueUrls[queue] })
  }
  return places
}

/** Only a function that is granted the real provider's settings can get the stand-in. */
function standIn(spec: FunctionSpec, { standInProvider }: Platform): Record<string, string> {
  if (standInProvider === undefined || !spec.settings.includes('AI_BASE_URL')) return {}
  return { STAND_IN_PROVIDER_URL: standInProvider }
}

function pick(values: Platform['values'], name: string): Record<string, string> {
  const value = values[name]
  return value === undefined ? {} : { [name]: value }
}

/** Returns the variables that Lambda sets for every function. The credentials are valid for the local engines only. */
function lambdaEnvironment(
  { name, memoryMb }: FunctionSpec,
  { region, credentials }: LocalCredentials,
): Record<string, string> {
  return {
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
  }
}
