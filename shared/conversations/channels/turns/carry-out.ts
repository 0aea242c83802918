import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { type Parts, tryCommit } from '#shared/platform/table/commit.ts'
import type { Update } from '#shared/platform/table/port.ts'
import { LeaseLost } from '#shared/platform/work/lease-lost.ts'
import { adapterOf } from '../adapters/index.ts'
import type { Channel } from '../channel.ts'
import { deliveryParts } from '../deliveries/parts.ts'
import { channelChatRows, channelWaitingRows } from '../rows.ts'
import { knownSender } from '../senders/known.ts'
import { channelDeliveries } from '../topic.ts'
import { type Chat, chatWork } from '../work.ts'
import type { Due } from './due.ts'
import { type LoopContext, tellLoop } from './loop.ts'
import { type AsksAgent, answerTo, type TurnContext } from './turn.ts'

export type TurnsContext = TurnContext &
  AsksAgent &
  LoopContext &
  Sends<'channel-deliveries' | 'channel-turns'> &
  Pick<Context, 'log'> &
  Can<'clock'>

type Result =
  | { wait: number }
  | {
      wait?: undefined
      chat: Chat
      /** True if the agent was asked. */
      hadTurn: boolean
    }

/** A chat has at most this number of turns in ten minutes: contract.md 18. */
const maxTurns = 60
const turnsMs = 600_000

/**
 * Carries out one event: its turn, or a code for an unknown sender. Its end and the messages to the chat are written in
 * one transaction.
 * @returns the seconds until the next attempt, or the chat afterwards
 * @throws LeaseLost
 */
export async function carryOutEvent(ctx: TurnsContext, due: Due): Promise<Result> {
  const { clock = Date.now } = ctx
  const { chat, channel, event } = due
  const adapter = adapterOf(channel.kind)
  const now = clock()
  if (adapter.signedSenders !== true) {
    const known = await knownSender(ctx, { channel, event, now })
    if (known.state !== 'approved') {
      await end(ctx, due, { texts: known.text === undefined ? [] : [known.text] })
      return { chat, hadTurn: false }
    }
  }
  const turns = chat.turns.filter((at) => now - at < turnsMs)
  if (turns.length >= maxTurns) {
    const notice = await tellLoop(ctx, due, now)
    if (notice === undefined) {
      await end(ctx, due, {})
      return { chat, hadTurn: false }
    }
    await end(ctx, due, { change: { set: { toldAt: now } }, also: { notice } })
    return { chat: { ...chat, toldAt: now }, hadTurn: false }
  }
  const answer = await answerTo(ctx, due, now)
  if ('wait' in answer) return answer
  const texts = adapter.answers?.(openOf(channel)) === false ? [] : adapter.split(answer.text)
  const next = { ...chat, turns: [...turns, now] }
  await end(ctx, due, { texts, change: { set: { turns: next.turns } } })
  return { chat: next, hadTurn: true }
}

function openOf({ id, agentId, kind, settings }: Channel) {
  return { id, agentId, kind, settings, secrets: {} }
}

/** Ends an event, and stores the messages to its chat. @throws LeaseLost */
async function end(
  ctx: TurnsContext,
  { chat, event }: Due,
  {
    texts = [],
    change,
    also,
  }: { texts?: readonly string[]; change?: Pick<Update, 'set'>; also?: Parts },
): Promise<void> {
  const { clock = Date.now } = ctx
  const now = clock()
  const { seed, replyTo } = event
  const parts: Parts = {
    event: { delete: channelWaitingRows.key({ ...chat, order: event.order }) },
    chat:
      change === undefined
        ? { check: channelChatRows.key(chat), ...chatWork.still(chat) }
        : { update: channelChatRows.key(chat), ...change, ...chatWork.still(chat) },
    ...deliveryParts({ chat, seed, texts, replyTo, now }),
    ...also,
  }
  if ((await tryCommit(ctx.table, parts)) !== undefined) throw new LeaseLost(chat.channelId)
  if (texts.length === 0) return
  const { userId, agentId, channelId } = chat
  // The tick sends a message that was not sent.
  await ctx.queues
    .send(channelDeliveries, { userId, agentId, channelId, chat: chat.chat })
    .catch((error: unknown) => ctx.log.warn('a delivery waits for the tick', { channelId, error }))
}
