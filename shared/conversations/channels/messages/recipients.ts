import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { everyItem } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { traitsOf } from '../adapters/traits.ts'
import type { Channel } from '../channel.ts'
import { channelChatRows, channelRows, channelSenderRows } from '../rows.ts'
import { shortHash } from '../short-hash.ts'
import type { Chat } from '../work.ts'
import { recipientOf } from './outgoing.ts'

interface AgentOf {
  userId: string
  agentId: string
}

/** A chat that an agent may write to: its last person is approved. */
export interface Recipient {
  channel: Channel
  chat: Chat
  to: string
  person: { id: string; name: string }
}

/** The most chats of a channel that are listed, and that are read for the list. */
const maxListed = 20
const maxRead = 500

/** Returns the channels of an agent that can send. */
export async function sendingChannels(
  { table }: Pick<Context, 'table'>,
  { userId, agentId }: AgentOf,
): Promise<Channel[]> {
  const beginsWith = channelRows.prefix({ agentId })
  const { items } = await userStore(table, userId).query({ beginsWith, limit: 100 })
  return items
    .map((item) => channelRows.parse(item))
    .filter(({ kind, settings }) => traitsOf(kind).answers?.({ settings }) !== false)
}

/** Lists chats of a channel that its agent may write to, those with the newest turns first. */
export async function listRecipients(
  ctx: Pick<Context, 'table'>,
  channel: Channel,
): Promise<Recipient[]> {
  const { id: channelId, userId, agentId } = channel
  const beginsWith = channelChatRows.prefix({ agentId, channelId })
  const store = userStore(ctx.table, userId)
  const approved = await approvedIn(ctx, channel)
  const found = new Map<string, Recipient>()
  let count = 0
  for await (const item of everyItem((from) => store.query({ beginsWith, ...from }))) {
    if (++count > maxRead) break
    const recipient = recipientIn(channel, channelChatRows.parse(item), approved)
    if (recipient === undefined) continue
    const before = found.get(recipient.to)
    if (before === undefined || lastTurn(before) < lastTurn(recipient))
      found.set(recipient.to, recipient)
  }
  return [...found.values()].toSorted((a, b) => lastTurn(b) - lastTurn(a)).slice(0, maxListed)
}

/** Returns a chat by its id, as policies and the agent's tools name it. @throws PlatformError 404 */
export async function requireRecipient(
  ctx: Pick<Context, 'table'>,
  channel: Channel,
  to: string,
): Promise<Recipient> {
  const { id: channelId, userId, agentId } = channel
  const ref = { userId, agentId, channelId, chat: await shortHash(to) }
  const [chat, approved] = await Promise.all([
    channelChatRows.find(ctx.table, ref),
    approvedIn(ctx, channel),
  ])
  const direct = chat && recipientIn(channel, chat, approved)
  if (direct?.to === to) return direct
  const listed = (await listRecipients(ctx, channel)).find((each) => each.to === to)
  if (listed === undefined)
    throw new PlatformError('not-found', '`to` must be one of the chats that list_channels returns')
  return listed
}

type IsApproved = (person: string) => boolean

/** Returns a function that tells whether a person of a channel is approved, or needs no approval. */
export async function approvedIn(
  { table }: Pick<Context, 'table'>,
  { id: channelId, userId, agentId, kind }: Channel,
): Promise<IsApproved> {
  if (traitsOf(kind).signedSenders === true) return () => true
  const { senders = {} } =
    (await channelSenderRows.find(table, { userId, agentId, channelId })) ?? {}
  return (person) => Object.hasOwn(senders, person) && senders[person]?.state === 'approved'
}

function recipientIn(channel: Channel, chat: Chat, isApproved: IsApproved): Recipient | undefined {
  const { person, replyTo } = chat
  if (person === undefined || !isApproved(person.id)) return undefined
  return { channel, chat, person, to: recipientOf(channel, chat, replyTo) }
}

function lastTurn({ chat }: Recipient): number {
  return chat.turns.at(-1) ?? 0
}
