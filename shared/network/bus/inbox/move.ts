import type { Agent } from '#shared/agents/record/agent.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { overtaken, retryOptimistically } from '#shared/platform/table/retry-optimistically.ts'
import type { DeliveryAttempt } from '../delivery/outstanding.ts'
import { deliveryWork } from '../delivery/work.ts'
import { placeOf, putIntoInbox, readEnd } from './put.ts'

/**
 * Moves an undelivered message into its recipient's inbox and ends its delivery, in one transaction. If a later attempt
 * has started, this attempt writes nothing.
 * @returns true if no work is left; false if the recipient is being deleted
 * @throws PlatformError 503 if every attempt conflicts with a concurrent message
 */
export async function moveToInbox(
  table: Table,
  { messageId, open, agent }: DeliveryAttempt & { agent: Agent },
  now = Date.now(),
): Promise<boolean> {
  const { text = '' } = open
  return retryOptimistically(async () => {
    const inboxEnd = await readEnd(table, agent)
    const refusals = await tryCommit(table, {
      message: deliveryWork.finished(
        { messageId, open },
        { set: { place: placeOf(inboxEnd) }, remove: ['open'] },
      ),
      ...putIntoInbox({ recipient: agent, text, now }, inboxEnd),
    })
    if (refusals === undefined || refusals.message !== undefined) return true
    if (refusals.holder !== undefined) return false
    return overtaken
  })
}
