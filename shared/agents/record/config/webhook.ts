import { PlatformError } from '#shared/platform/errors.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { AgentSetting } from '../context.ts'
import type { ConfigChange } from './schema.ts'
import { isLocalWebhook } from './values.ts'

/** @throws PlatformError 400 for a webhook on the local machine if the platform is deployed */
export function requireReachable(
  { config }: Reads<AgentSetting>,
  { webhookUrl }: ConfigChange,
): void {
  if (config.deployed && typeof webhookUrl === 'string' && isLocalWebhook(webhookUrl))
    throw new PlatformError('bad-request', 'config.webhookUrl must be https')
}
