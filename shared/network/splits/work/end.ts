import { audit } from '#shared/platform/identity/audit.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import type { Split } from '../record.ts'
import { inKey, openSplitRows } from '../rows.ts'
import { changeSplit } from '../write.ts'
import type { WalletContext } from './context.ts'

/**
 * Ends a split and writes the audit entry.
 * @returns false if another check has updated it in the meantime
 */
export async function endSplit(ctx: WalletContext, before: Split, after: Split): Promise<boolean> {
  const { table, wallet, log } = ctx
  const { splitId, userId } = before
  const { status, reason = null } = after
  const type = status === 'completed' ? 'split.completed' : 'split.failed'
  const refusals = await tryCommit(table, {
    split: changeSplit(before, after),
    open: { delete: openSplitRows.key({ wallet, number: inKey(splitId) }) },
    audit: await audit(ctx, type, {
      userId,
      target: String(splitId),
      before: outcome(before),
      after: outcome(after),
    }),
    ...(await webhookParts(ctx, userId, [{ type, data: { splitId, status, reason } }])),
  })
  if (refusals !== undefined) return false
  log.info(
    'a split has ended',
    { splitId, status, reason: after.reason },
    {
      by: [['function']],
      of: {
        SplitsCompleted: [status === 'completed' ? 1 : 0, 'Count'],
        SplitsFailed: [status === 'failed' ? 1 : 0, 'Count'],
      },
    },
  )
  return true
}

/** Returns the part of a split that the audit records. */
function outcome({ splitId, status, recipients }: Split) {
  return {
    splitId,
    status,
    recipients: recipients.map(({ address, amount, status: of, txHash = null }) => ({
      address,
      amount,
      status: of,
      txHash,
    })),
  }
}
