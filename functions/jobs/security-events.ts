import { configuredIdp } from '#shared/accounts/providers/configure.ts'
import { handleSecurityEvent } from '#shared/accounts/security-events/handle.ts'
import { securityEvents } from '#shared/accounts/security-events/topic.ts'
import { endAgentWebhooks } from '#shared/agents/record/config/end-webhooks.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { sealer } from '#shared/platform/seal.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Handles the identity provider's security events. */
export const job = jobWith<typeof wire>()({
  topic: securityEvents,
  handle: (ctx, message) => handleSecurityEvent({ ...ctx, actor: { type: 'provider' } }, message),
})

export function wire(config: ConfigOf<'security-events'>) {
  const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
  return {
    services: {
      table: openTable(config),
      endAgentWebhooks,
      sealer: encryptionKey === undefined ? undefined : sealer(encryptionKey),
      revoke: configuredIdp(config)?.revoke,
    },
  }
}
