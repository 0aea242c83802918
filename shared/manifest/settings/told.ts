import type { Setting } from './types.ts'

/** What the stacks themselves tell functions: who they are, and where the engines are that their grants reach. */
export const toldSettings = {
  PLATFORM_STAGE: { kind: 'text', default: 'local' },
  FUNCTION_NAME: { kind: 'text', default: 'unnamed' },
  TABLE_NAME: { kind: 'text', default: 'platform' },
  CLUSTER: { kind: 'text', default: 'platform' },
  TASK_FAMILY_PREFIX: { kind: 'text', default: '' },
  SUBNETS: { kind: 'list', default: [] },
  SECURITY_GROUP: { kind: 'list', default: [] },
  /** True if an agent's task has a public address: ECS's ENABLED or DISABLED. */
  PUBLIC_ADDRESS: { kind: 'text', default: 'ENABLED' },
  SES_ENDPOINT: { kind: 'url' },
  LAMBDA_ENDPOINT: { kind: 'url' },
  /** What Lambda calls the function that signs. */
  SIGNER_FUNCTION: { kind: 'text', default: 'signer' },
  LOGS_ENDPOINT: { kind: 'url' },
  S3_ENDPOINT: { kind: 'url' },
  /** The bucket of what is kept as files. */
  OBJECTS_BUCKET: { kind: 'text', default: 'objects' },
  /** What links to those files are signed with, only on one machine: S3 knows the function's own credentials. */
  OBJECT_LINKS_KEY: { kind: 'key' },
  AGENT_LOG_GROUP: { kind: 'text', default: 'agents' },
  /** Base URL of the stand-in model provider; only on one machine, where no real one is set. */
  STAND_IN_PROVIDER_URL: { kind: 'url' },
} as const satisfies Record<string, Setting>
