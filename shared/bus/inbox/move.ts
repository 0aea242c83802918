import { setTimeout as wait } from 'node:timers/promises'
import type { Agent } from '../../agents/agent.ts'
import { PlatformError } from '../../platform/errors.ts'
import { tryCommit } from '../../platform/table/commit.ts'
import type { Table } from '../../platform/table/port.ts'
import { type Attempt, still } from '../delivery/open.ts'
import { messageRows } from '../rows.ts'
import { placeOf, putIntoInbox, readEnd } from './put.ts'

/** Each failed round is another message's success, so an inbox that is written to this long is too busy. */
const mostRounds = 100

/** The longest wait between two rounds, in milliseconds. */
const longestWait = 200

/**
 * Puts a message that was to be delivered into its recipient's inbox, and ends its delivery, in one transaction. Where a
 * later try has begun meanwhile, that one says what becomes of it.
 * @returns whether nothing is left to do for this try; false where the recipient is being deleted
 * @throws PlatformError 503 where other messages came first every time
 */
export async function moveToInbox(
  table: Table,
  { messageId, open, agent }: Attempt & { agent: Agent },
  now = Date.now(),
): Promise<boolean> {
  const { text = '' } = open
  for (let round = 0; round < mostRounds; round++) {
    const inboxEnd = await readEnd(table, agent)
    const refusals = await tryCommit(table, {
      message: {
        update: messageRows.key({ messageId }),
        set: { place: placeOf(inboxEnd) },
        remove: ['open', 'gsi1pk', 'gsi1sk'],
        ...still(open),
      },
      ...putIntoInbox({ recipient: agent, text, now }, inboxEnd),
    })
    if (refusals === undefined || refusals.message !== undefined) return true
    if (refusals.holder !== undefined) return false
    await wait(Math.random() * Math.min(longestWait, 4 * 2 ** round))
  }
  throw new PlatformError('unavailable', 'Too much is written here at once', {
    headers: { 'Retry-After': '1' },
  })
}
