import { entitlements } from '#shared/accounts/entitlements/topic.ts'
import { heartbeatRows } from '#shared/accounts/heartbeat/rows.ts'
import { installationRows, installationTokenRows } from '#shared/accounts/installations/rows.ts'
import { requestRows } from '#shared/accounts/oauth/rows.ts'
import { settleReferral } from '#shared/accounts/users/referral.ts'
import { userMailer } from '#shared/accounts/users/user-mailer.ts'
import { executeDeletion } from '#shared/billing/account-deletion/execute.ts'
import { applyEntitlements } from '#shared/billing/downgrades/apply.ts'
import { configuredProvider } from '#shared/billing/payments/context.ts'
import { settleAtProvider } from '#shared/billing/payments/settle-at-provider.ts'
import { expireExports } from '#shared/conversations/agent-archives/exports/request.ts'
import { expireImports } from '#shared/conversations/agent-archives/tick.ts'
import { expireSnapshots } from '#shared/conversations/restore-points/retention.ts'
import { swarmRows } from '#shared/conversations/swarms/rows.ts'
import {
  approvalMailRows,
  approvalRequestRows,
  approvalRows,
  approvalTurnRows,
} from '#shared/permits/approvals/rows.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { sealer } from '#shared/platform/seal.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { deliveryRows, endpointRows } from '#shared/signals/outbound-webhooks/rows.ts'
import { jobWith } from '../common/job.ts'

/** The prefixes of rows that the account deletion removes, but whose nouns it cannot import. */
export const accountDeletionHooks = [
  heartbeatRows,
  installationRows,
  installationTokenRows,
  requestRows,
  endpointRows,
  deliveryRows,
  swarmRows,
  approvalRows,
  approvalRequestRows,
  approvalMailRows,
  approvalTurnRows,
].map((rows) => rows.prefix())

/** Remove the objects of an account, by rows that are due at once. */
export const removals = [expireSnapshots, expireExports, expireImports]

/** Applies a user's entitlements, or removes everything if the account is deleted. */
export const job = jobWith<typeof wire>()({
  topic: entitlements,
  handle: async ({ sealer, ...ctx }, message) => {
    if (await executeDeletion({ ...ctx, belongings: accountDeletionHooks, removals }, message))
      return
    const mailer = userMailer({ ...ctx, sealer })
    // The steps are independent, so that agents stop even if the payment provider is unavailable, and payments end even
    // if a row is invalid.
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
      sealer: encryptionKey === undefined ? undefined : sealer(encryptionKey),
      adminEmails: config.ADMIN_EMAILS,
      deployed: config.deployed,
      webUrl: config.WEB_URL,
    },
  }
}
