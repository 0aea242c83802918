import { randomInt } from 'node:crypto'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { Channel } from '../channel.ts'
import { channelSenderRows } from '../rows.ts'
import type { WaitingEvent } from '../turns/waiting.ts'
import { type Senders, withoutOldCodes } from './senders.ts'

/** A sender gets at most one code in this time: contract.md 18. */
const codeMs = 3_600_000

/** The maximum number of senders of a channel who wait: contract.md 18. */
const maxPending = 100

type Known =
  | { state: 'approved' | 'blocked'; text?: undefined }
  | {
      state: 'pending'
      /** The text with the code, if one is due. */
      text?: string | undefined
    }

/** Returns the state of an event's sender. An unknown sender is stored with a code, and `text` is the reply with it. */
export async function knownSender(
  { table }: { table: Table },
  { channel, event, now }: { channel: Channel; event: WaitingEvent; now: number },
): Promise<Known> {
  const { id: channelId, userId, agentId } = channel
  const { id, name } = event.sender
  let result: Known = { state: 'pending' }
  await changeItem(
    userStore(table, userId).row(channelSenderRows.sk({ agentId, channelId })),
    (item) => {
      const before: Senders =
        item === undefined ? { senders: {}, revision: 0 } : channelSenderRows.parse(item)
      const sender = Object.hasOwn(before.senders, id) ? before.senders[id] : undefined
      result = { state: sender?.state ?? 'pending' }
      if (result.state !== 'pending' || !event.codes) return undefined
      // The process that made the code may have ended before it stored the message.
      if (sender?.event === event.seed && sender.code !== null) {
        result = { state: 'pending', text: textWith(sender.code) }
        return undefined
      }
      if (sender !== undefined && now - sender.at < codeMs) return undefined
      const senders = withoutOldCodes(before.senders, now)
      const pending = Object.values(senders).filter(({ state }) => state === 'pending')
      if (pending.length >= maxPending && !Object.hasOwn(senders, id)) return undefined
      const code = newCode()
      result = { state: 'pending', text: textWith(code) }
      return {
        put: channelSenderRows.attributes({
          senders: {
            ...senders,
            [id]: { name, state: 'pending', code, at: now, event: event.seed },
          },
          revision: before.revision + 1,
        }),
        condition:
          item === undefined
            ? absent()
            : { if: '#revision = :revision', values: { revision: before.revision } },
      }
    },
  )
  return result
}

/** The characters of a code, without those that look alike. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

function newCode(): string {
  return Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join('')
}

function textWith(code: string): string {
  return `I do not know you yet, so I did not read your message. My owner can approve you with this code: ${code}. Then write to me again.`
}
