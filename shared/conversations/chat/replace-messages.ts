import { everyItem } from '#shared/platform/table/pages.ts'
import type { Write } from '#shared/platform/table/port.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import type { MessageRow } from './message.ts'
import { everyMessage, recountDays, recountTopics } from './recount.ts'
import { messageRows } from './rows.ts'

/** A transaction has at most a hundred writes and 4 MB. */
const writesPerTransaction = 100
const charactersPerTransaction = 1_000_000

export interface MessageReplacement {
  agentId: string
  /** The messages with their seeds, oldest first. */
  messages: readonly { seed: string; row: MessageRow }[]
  /** True if older messages were not included; they stay unchanged. */
  cut: boolean
  /**
   * Called between batches.
   * @throws if the work must stop
   */
  goOn(): Promise<void>
}

/** Replaces the messages with an agent, and updates their counts and topics. Idempotent. */
export async function replaceMessages(
  store: UserStore,
  replacement: MessageReplacement,
): Promise<void> {
  const { agentId, messages, cut, goOn } = replacement
  const beginsWith = messageRows.prefix({ agentId })
  const keptKeys = new Set(messages.map(({ seed }) => beginsWith + seed))
  const from = cut ? beginsWith + (messages[0]?.seed ?? '') : ''
  const gone: Write[] = []
  const query = (after: object) => store.query({ beginsWith, select: ['pk', 'sk'], ...after })
  for await (const { sk } of everyItem(query))
    if (!keptKeys.has(sk) && sk >= from) gone.push(store.write.delete(sk))
  for (let i = 0; i < gone.length; i += writesPerTransaction) {
    await store.transact(gone.slice(i, i + writesPerTransaction))
    await goOn()
  }
  for (const batch of batches(messages)) {
    await store.transact(
      batch.map(({ seed, row }) => store.write.put(beginsWith + seed, messageRows.attributes(row))),
    )
    await goOn()
  }
  if (!cut) await recountDays(store, replacement)
  const all = cut ? everyMessage(store, replacement) : messages.map(({ row }) => row)
  await recountTopics(store, { agentId, messages: all })
}

function* batches<T extends { row: MessageRow }>(messages: readonly T[]): Generator<T[]> {
  let batch: T[] = []
  let characters = 0
  for (const message of messages) {
    const { length } = message.row.content
    const isFull =
      batch.length === writesPerTransaction || characters + length > charactersPerTransaction
    if (isFull && batch.length > 0) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(message)
    characters += length
  }
  if (batch.length > 0) yield batch
}
