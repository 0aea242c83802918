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
  SES_ENDPOINT: { kind: 'url' },
  LOGS_ENDPOINT: { kind: 'url' },
  AGENT_LOG_GROUP: { kind: 'text', default: 'agents' },
  /** Base URL of the stand-in model provider; only on one machine, where no real one is set. */
  STAND_IN_PROVIDER_URL: { kind: 'url' },
} as const satisfies Record<string, Setting>
