import type { DescribedFile } from '#shared/agents/files/container/schema.ts'
import { type Agent, agentAlive, agentKey, ownerOf } from '#shared/agents/record/agent.ts'
import type { PendingApproval } from '#shared/permits/approvals/park.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { commit } from '#shared/platform/table/commit.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { type Channel, requireChannel } from '../channel.ts'
import { channelDeliveryRows } from '../rows.ts'
import { oldestEvents } from '../turns/waiting.ts'
import { decideMessage } from './decide.ts'
import { fileToSend } from './file.ts'
import { keptChat } from './kept-chat.ts'
import { approvedIn, type Recipient, requireRecipient } from './recipients.ts'

/** At this number of messages of a channel in ten minutes, its agent cannot send another one: contract.md 18. */
const maxRecent = 60
const recentMs = 600_000

interface Message {
  agent: Agent
  /** The agent's session that sends it. */
  session: string
  /** The channel's id. */
  channel: string
  to: string
  text: string
  /** The path of a file in the agent's workspace, which is sent after the text. */
  path?: string
}

/**
 * Sends a message of an agent to a chat of its own channels, as its policy decides. The tick requests its delivery. A
 * message to the chat whose turn is under way counts as an answer.
 * @param ctx.files describes a file of the agent by its path
 * @throws PlatformError 400 for a file that the service refuses, 403 POLICY_DENIED, 404, 413, 429
 */
export async function sendChannelMessage(
  ctx: Pick<Context, 'table' | 'log'> & { files(path: string): Promise<DescribedFile> },
  { agent, session, channel: channelId, to, text, path }: Message,
): Promise<{ state: 'waiting' } | PendingApproval> {
  const ref = { userId: ownerOf(agent), agentId: agent.id, channelId }
  const channel = await requireChannel(ctx, ref)
  const recipient = await requireRecipient(ctx, channel, to)
  const now = Date.now()
  await requireFewRecent(ctx, channel, now)
  const { chat, person } = recipient
  const { kind } = channel
  const file = path === undefined ? undefined : fileToSend(await ctx.files(path), { kind, path })
  const decided = await decideMessage(
    ctx,
    {
      agent,
      channel,
      chat,
      text,
      file,
      replyTo: chat.replyTo,
      person: person.id,
      answer: await isAnswer(ctx, recipient, now),
      session,
    },
    { seed: newSeed(now), now },
  )
  if (decided.then === 'ask') return decided.pending
  await commit(
    ctx.table,
    {
      ...decided.parts,
      chat: keptChat(chat, now),
      agent: { check: agentKey(ref), ...agentAlive },
    },
    { agent: () => notFound('Agent'), chat: () => notFound('Chat') },
  )
  if (decided.then === 'deny') throw decided.error
  return { state: 'waiting' }
}

/** @throws PlatformError 429 */
async function requireFewRecent(
  { table }: Pick<Context, 'table'>,
  { id: channelId, userId, agentId }: Channel,
  now: number,
): Promise<void> {
  const beginsWith = channelDeliveryRows.prefix({ agentId, channelId })
  const query = { beginsWith, descending: true, limit: maxRecent }
  const { items } = await userStore(table, userId).query(query)
  const oldest = items.length < maxRecent ? undefined : items.at(-1)
  if (oldest !== undefined && channelDeliveryRows.parse(oldest).at > isoOf(now - recentMs))
    throw new PlatformError(
      'too-many-requests',
      `This channel has sent ${maxRecent} messages in the last ten minutes. Send the next one later`,
    )
}

/** Returns whether a person's message of this chat is being carried out. */
async function isAnswer(
  ctx: Pick<Context, 'table'>,
  { channel, chat }: Recipient,
  now: number,
): Promise<boolean> {
  if (chat.by === undefined || (chat.until ?? 0) < now) return false
  const [event] = await oldestEvents(ctx.table, chat, 1)
  return event !== undefined && (await approvedIn(ctx, channel))(event.sender.id)
}
