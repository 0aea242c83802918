import type { Context } from '#shared/platform/identity/context.ts'
import { ConditionFailed } from '#shared/platform/table/port.ts'
import type { Report } from '../adapters/adapter.ts'
import type { Channel } from '../channel.ts'
import { channelDeliveryRows } from '../rows.ts'
import { shownReason } from './shown-reason.ts'

/**
 * Stores what a service reports about a message: an accepted one can still fail, and one whose response was lost may
 * have been sent. A report about any other message has no effect.
 */
export async function storeReport(
  { table }: Pick<Context, 'table'>,
  { channel, report }: { channel: Channel; report: Report },
): Promise<void> {
  const { userId, agentId, id: channelId } = channel
  const { key: order, outcome } = report
  const { state } = outcome
  try {
    await table.update(channelDeliveryRows.key({ userId, agentId, channelId, order }), {
      set: { state, reason: state === 'failed' ? shownReason(outcome.reason) : null },
      if: state === 'failed' ? '#state IN (:sent, :unknown)' : '#state = :unknown',
      values: { unknown: 'unknown', ...(state === 'failed' && { sent: 'sent' }) },
    })
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
  }
}
