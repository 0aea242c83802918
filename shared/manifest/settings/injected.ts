import type { Setting } from './types.ts'

/**
 * The settings that the stacks themselves set: the function's identity, and the endpoints of the engines that its
 * grants allow.
 */
export const injectedSettings = {
  PLATFORM_STAGE: { kind: 'text', default: 'local' },
  FUNCTION_NAME: { kind: 'text', default: 'unnamed' },
  TABLE_NAME: { kind: 'text', default: 'platform' },
  CLUSTER: { kind: 'text', default: 'platform' },
  TASK_FAMILY_PREFIX: { kind: 'text', default: '' },
  SUBNETS: { kind: 'list', default: [] },
  SECURITY_GROUP: { kind: 'list', default: [] },
  /** ENABLED if agents' tasks have a public address, else DISABLED: ECS's values. */
  PUBLIC_ADDRESS: { kind: 'text', default: 'ENABLED' },
  SES_ENDPOINT: { kind: 'url' },
  LAMBDA_ENDPOINT: { kind: 'url' },
  /** The Lambda name of the signer function. */
  SIGNER_FUNCTION: { kind: 'text', default: 'signer' },
  LOGS_ENDPOINT: { kind: 'url' },
  S3_ENDPOINT: { kind: 'url' },
  /** The bucket for files. */
  OBJECTS_BUCKET: { kind: 'text', default: 'objects' },
  /** The key that signs links to those files, on one machine only: S3 uses the function's own credentials. */
  OBJECT_LINKS_KEY: { kind: 'key' },
  AGENT_LOG_GROUP: { kind: 'text', default: 'agents' },
  /** Base URL of the stand-in model provider; on one machine only, if no real provider is set. */
  STAND_IN_PROVIDER_URL: { kind: 'url' },
} as const satisfies Record<string, Setting>
