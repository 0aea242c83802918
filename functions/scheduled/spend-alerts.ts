import { userMailer } from '#shared/accounts/users/user-mailer.ts'
import { tickSpendAlerts } from '#shared/ai/spend-alerts/tick.ts'
import { planCapsOf } from '#shared/money/plans/spend-cap.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { sealer } from '#shared/platform/seal.ts'
import { openTable } from '#shared/platform/table/open.ts'
import type { TickOf } from '../common/tick.ts'

/** Every minute: notifies users who have reached a threshold of their spend cap or quota. */
export const tick: TickOf<typeof wire> = ({ sealer, ...ctx }) =>
  tickSpendAlerts({ ...ctx, mailer: userMailer({ ...ctx, sealer }) })

export function wire(config: ConfigOf<'spend-alerts'>) {
  const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
  return {
    services: {
      table: openTable(config),
      sealer: encryptionKey === undefined ? undefined : sealer(encryptionKey),
      adminEmails: config.ADMIN_EMAILS,
      planCaps: planCapsOf(config),
      webUrl: config.WEB_URL,
    },
  }
}
