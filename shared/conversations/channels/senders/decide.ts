import { maxSenders, senderId, sendersFull, type SenderView } from '#shared/agents/bots/schema.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type ChannelRef, requireChannel } from '../channel.ts'
import { channelSenderRows } from '../rows.ts'
import { type Senders, withoutOldCodes } from './senders.ts'

interface Decision {
  /** The sender's id at the service, or the code that they got. */
  sender: string
  decision: 'approve' | 'block'
}

/**
 * Approves or blocks a sender of a channel. It applies to events that are carried out from now on. A sender who never
 * wrote can be decided by an id of digits, as Telegram and WhatsApp have them.
 * @throws PlatformError 404, 409 SENDERS_FULL
 */
export async function decideChannelSender(
  { table }: Pick<Context, 'table'>,
  ref: ChannelRef,
  { sender, decision }: Decision,
): Promise<SenderView & { applied: true }> {
  const { userId, agentId, channelId } = ref
  await requireChannel({ table }, ref)
  const state = decision === 'approve' ? 'approved' : 'blocked'
  let view: SenderView = { id: sender, name: null, state, code: null }
  await changeItem(
    userStore(table, userId).row(channelSenderRows.sk({ agentId, channelId })),
    (item) => {
      const now = Date.now()
      const before: Senders =
        item === undefined ? { senders: {}, revision: 0 } : channelSenderRows.parse(item)
      const senders = withoutOldCodes(before.senders, now)
      const [id, known] = found(senders, sender)
      view = { id, name: known.name || null, state, code: null }
      const next = { ...senders, [id]: { name: known.name, state, code: null, at: now } } as const
      return {
        put: channelSenderRows.attributes({
          senders: withRoom(next, id),
          revision: before.revision + 1,
        }),
        condition:
          item === undefined
            ? absent()
            : { if: '#revision = :revision', values: { revision: before.revision } },
      }
    },
  )
  return { ...view, applied: true }
}

type Known = Senders['senders']

/** @throws PlatformError 404 */
function found(senders: Known, sender: string): [string, Known[string]] {
  const entries = Object.entries(senders)
  const one =
    entries.find(([, { code }]) => code === sender.toUpperCase()) ??
    entries.find(([id]) => id === sender)
  if (one !== undefined) return one
  if (!senderId.safeParse(sender).success) throw notFound('Sender')
  return [sender, { name: '', state: 'pending', code: null, at: 0 }]
}

/**
 * Returns the senders without the one that was blocked first, if there are more than `maxSenders` decided ones.
 * @throws PlatformError 409 SENDERS_FULL if no other one is blocked
 */
function withRoom(senders: Known, decided: string): Known {
  const done = Object.entries(senders).filter(([, { state }]) => state !== 'pending')
  if (done.length <= maxSenders) return senders
  const blocked = done.filter(([id, { state }]) => state === 'blocked' && id !== decided)
  const [first] = blocked.toSorted(([, a], [, b]) => a.at - b.at)
  if (first === undefined) throw sendersFull()
  const { [first[0]]: _, ...rest } = senders
  return rest
}
