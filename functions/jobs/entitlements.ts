import { carryOutDeletion } from '../../shared/account-deletion/carry-out.ts'
import { entitlements } from '../../shared/entitlements/topic.ts'
import { heartbeatRows } from '../../shared/heartbeat/rows.ts'
import { installationRows, installationTokenRows } from '../../shared/installations/rows.ts'
import { applyEntitlements } from '../../shared/lapses/apply.ts'
import { requestRows } from '../../shared/oauth/rows.ts'
import { deliveryRows, endpointRows } from '../../shared/outbound-webhooks/rows.ts'
import { configuredProvider } from '../../shared/payments/context.ts'
import { settleAtProvider } from '../../shared/payments/settle-at-provider.ts'
import { settleReferral } from '../../shared/accounts/referral.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { userMailer } from '../../shared/accounts/user-mailer.ts'
import { sealer } from '../../shared/platform/seal.ts'
import { swarmRows } from '../../shared/swarms/rows.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** The data that is deleted with an account, of nouns that the account deletion does not import. */
export const belongings = [
  heartbeatRows,
  installationRows,
  installationTokenRows,
  requestRows,
  endpointRows,
  deliveryRows,
  swarmRows,
].map((rows) => rows.prefix())

/** Applies a user's entitlements, or removes everything if the account is deleted. */
export const job = jobWith<typeof wire>()({
  topic: entitlements,
  handle: async ({ seals, ...ctx }, message) => {
    if (await carryOutDeletion({ ...ctx, belongings }, message)) return
    const mailer = userMailer({ ...ctx, seals })
    // The steps are independent: an unavailable provider must not keep agents running, and an unreadable row must not
    // keep payments running.
    const outcomes = await Promise.allSettled([
      applyEntitlements({ ...ctx, mailer }, message),
      settleAtProvider(ctx, message),
      settleReferral(ctx, message),
    ])
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected')
    const [first, ...others] = failed.map(({ reason }) => reason as unknown)
    if (others.length > 0) throw new AggregateError([first, ...others], 'nothing could be done')
    if (first !== undefined) throw first
  },
})

export function wire(config: ConfigOf<'entitlements'>) {
  const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
  return {
    services: {
      table: openTable(config),
      provider: configuredProvider(config),
      seals: encryptionKey === undefined ? undefined : sealer(encryptionKey),
      adminEmails: config.ADMIN_EMAILS,
      deployed: config.deployed,
      webUrl: config.WEB_URL,
    },
  }
}
