import { setTimeout as wait } from 'node:timers/promises'
import type { Agent } from '#shared/agents/record/agent.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { DeliveryAttempt } from '../delivery/outstanding.ts'
import { deliveryWork } from '../delivery/work.ts'
import { placeOf, putIntoInbox, readEnd } from './put.ts'

/** Each failed round means that another message succeeded. This many failures mean that the inbox is overloaded. */
const maxRounds = 100

/** The longest wait between two rounds, in milliseconds. */
const longestWait = 200

/**
 * Moves an undelivered message into its recipient's inbox and ends its delivery, in one transaction. If a later attempt
 * has started, that one decides.
 * @returns whether this attempt has no work left; false if the recipient is being deleted
 * @throws PlatformError 503 if concurrent messages always win
 */
export async function moveToInbox(
  table: Table,
  { messageId, open, agent }: DeliveryAttempt & { agent: Agent },
  now = Date.now(),
): Promise<boolean> {
  const { text = '' } = open
  for (let round = 0; round < maxRounds; round++) {
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
    await wait(Math.random() * Math.min(longestWait, 4 * 2 ** round))
  }
  throw new PlatformError('unavailable', 'Too many concurrent writes; try again', {
    headers: { 'Retry-After': '1' },
  })
}
