import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import { everyItem } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { inboxRows, messageRows } from '../rows.ts'
import { placeText } from './put.ts'

/**
 * The maximum number of characters in a page: a Lambda response has at most 6 MB, and a character up to three bytes.
 */
const longestPage = 1_500_000

export interface InboxMessage {
  message: unknown
  /** ISO 8601. */
  receivedAt: string
}

/**
 * Returns the messages of an agent's inbox, oldest first. Reading removes nothing.
 * @param input.limit the maximum number of messages; fewer are returned if they are long
 * @param input.after the messageId to continue after. For an unknown or expired id, the list starts with the oldest
 * message, because every stored message is newer
 */
export async function readInbox(
  { table }: { table: Table },
  { agent, limit, after }: { agent: Agent; limit: number; after?: string | undefined },
): Promise<InboxMessage[]> {
  const store = userStore(table, ownerOf(agent))
  const place = (at: string) => inboxRows.sk({ agentId: agent.id, place: at })
  const begin = await placeAfter(table, agent, after)
  const found: InboxMessage[] = []
  let characters = 0
  if (limit === 0) return found
  const all = everyItem((from) =>
    store.query({ between: [place(placeText(begin)), place('~')], limit, ...from }),
  )
  for await (const item of all) {
    const { text, receivedAt } = inboxRows.parse(item)
    characters += text.length
    if (found.length > 0 && characters > longestPage) break
    found.push({ message: JSON.parse(text), receivedAt })
    if (found.length === limit) break
  }
  return found
}

async function placeAfter(table: Table, agent: Agent, after: string | undefined): Promise<number> {
  const row =
    after === undefined ? undefined : await table.get(messageRows.key({ messageId: after }))
  if (row === undefined) return 0
  const { to, place } = messageRows.parse(row)
  return to === agent.id && place !== undefined ? place + 1 : 0
}
