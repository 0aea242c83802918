import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { type Parts, tryCommit } from '#shared/platform/table/commit.ts'
import type { Update } from '#shared/platform/table/port.ts'
import { LeaseLost } from '#shared/platform/work/lease-lost.ts'
import { traitsOf } from '../adapters/traits.ts'
import { deliveryParts } from '../deliveries/parts.ts'
import { requestDelivery } from '../deliveries/request.ts'
import { decideMessage } from '../messages/decide.ts'
import { channelChatRows, channelWaitingRows } from '../rows.ts'
import { knownSender } from '../senders/known.ts'
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
  const now = clock()
  if (traitsOf(channel.kind).signedSenders !== true) {
    const known = await knownSender(ctx, { channel, event, now })
    if (known.state !== 'approved') {
      await end(ctx, due, { messages: codeParts(due, known.text, now) })
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
    await end(ctx, due, { messages: { notice }, change: { set: { toldAt: now } } })
    return { chat: { ...chat, toldAt: now }, hadTurn: false }
  }
  const answer = await answerTo(ctx, due, now)
  if ('wait' in answer) return answer
  // Another process's clock may have been ahead. The answers keep the order of the turns.
  const answeredAt = Math.max(clock(), (chat.turns.at(-1) ?? 0) + 1)
  const messages = await answerParts(ctx, due, { text: answer.text, now: answeredAt })
  const { id, name } = event.sender
  const set = { turns: [...turns, answeredAt], person: { id, name } }
  const next = { ...chat, ...set }
  await end(ctx, due, { messages, change: { set } })
  return { chat: next, hadTurn: true }
}

function codeParts({ channel, chat, event }: Due, text: string | undefined, now: number): Parts {
  const { seed, replyTo } = event
  return deliveryParts({
    channel,
    chat,
    seed,
    texts: text === undefined ? [] : [text],
    replyTo,
    now,
  })
}

/** Returns the parts of an answer, as the agent's policy decides. An answer that needs an approval is parked. */
async function answerParts(
  ctx: TurnsContext,
  { chat, channel, agent, event }: Due,
  { text, now }: { text: string; now: number },
): Promise<Parts> {
  const { kind, settings } = channel
  if (traitsOf(kind).answers?.({ settings }) === false) return {}
  const { seed, replyTo, sender } = event
  const session = `${kind}:${chat.name}`
  const decided = await decideMessage(
    ctx,
    { agent, channel, chat, text, replyTo, person: sender.id, answer: true, event: seed, session },
    { seed, now },
  )
  return decided.then === 'ask' ? {} : decided.parts
}

/** Ends an event, and stores the messages to its chat unless they were stored before. @throws LeaseLost */
async function end(
  ctx: TurnsContext,
  { chat, event }: Due,
  { messages = {}, change }: { messages?: Parts; change?: Pick<Update, 'set'> },
): Promise<void> {
  const own: Parts = {
    event: { delete: channelWaitingRows.key({ ...chat, order: event.order }) },
    chat:
      change === undefined
        ? { check: channelChatRows.key(chat), ...chatWork.still(chat) }
        : { update: channelChatRows.key(chat), ...change, ...chatWork.still(chat) },
  }
  const refusals = await tryCommit(ctx.table, { ...own, ...messages })
  if (refusals !== undefined) {
    const isStored = Object.keys(refusals).every((name) => !(name in own))
    if (!isStored || (await tryCommit(ctx.table, own)) !== undefined)
      throw new LeaseLost(chat.channelId)
  }
  if (messages['outbox'] !== undefined) await requestDelivery(ctx, chat)
}
