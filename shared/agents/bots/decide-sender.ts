import { notFound } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { agentGateway, type ReachContext } from '../agent-gateway/gateway.ts'
import { type Agent, agentAlive, agentSortKey, ownerOf } from '../record/agent.ts'
import { senderRows } from '../record/rows.ts'
import { isRunning } from '../record/running.ts'
import { type BotChannel, type Senders, sendersOn } from '../record/senders/read.ts'
import { readWaiting, requireBot } from './bot.ts'
import { maxSenders, senderId, sendersFull, type SenderView } from './schema.ts'

interface Decision {
  agent: Agent
  channelId: string
  /** The sender's id at the chat service, or the code that the bot sent them. */
  sender: string
  decision: 'approve' | 'block'
}

/**
 * Approves or blocks a sender of an agent's bot. The decision survives a stop of the agent. A running bot receives the
 * decision immediately; a bot that cannot be reached receives it at its next start. If the list is full,
 * the sender that was blocked first makes room, so an owner can remove senders by blocking them.
 * @throws PlatformError 404 for an unknown bot or code, 409 SENDERS_FULL
 */
export async function decideSender(
  ctx: Pick<Context, 'table' | 'log'> & ReachContext,
  { agent, channelId, sender, decision }: Decision,
): Promise<SenderView & { applied: boolean }> {
  const channel = requireBot(agent, channelId)
  const isId = senderId.safeParse(sender).success
  const waiting = await readWaiting(ctx, { agent, channel }).catch((error: unknown) => {
    // A sender's id can be decided without the agent, but only the agent can resolve a code.
    if (!isId) throw error
    ctx.log.warn('the waiting senders of a bot are unknown', { agentId: agent.id, error })
    return []
  })
  const found =
    waiting.find(({ code }) => code === sender.toUpperCase()) ??
    waiting.find(({ id }) => id === sender)
  if (found === undefined && !isId) throw notFound('Sender')
  const id = found?.id ?? sender
  const state = decision === 'approve' ? 'approved' : 'blocked'
  const senders = await storeDecision(ctx.table, agent, {
    channel,
    id,
    name: found?.name ?? null,
    state,
  })
  const name = senders.channels[channel]?.[id]?.name ?? null
  return { id, name, state, code: null, applied: await sendToBot(ctx, agent, { channel, senders }) }
}

interface DecidedSender {
  channel: BotChannel
  id: string
  name: string | null
  state: 'approved' | 'blocked'
}

async function storeDecision(table: Table, agent: Agent, decided: DecidedSender): Promise<Senders> {
  const store = userStore(table, ownerOf(agent))
  let stored: Senders = { channels: {}, revision: 0 }
  await changeItem(
    store.row(senderRows.sk({ agentId: agent.id })),
    (item) => {
      const before = item === undefined ? undefined : senderRows.parse(item)
      stored = withSender(before ?? stored, decided)
      return {
        put: senderRows.attributes(stored),
        condition:
          before === undefined
            ? absent()
            : { if: '#revision = :revision', values: { revision: before.revision } },
        also: { agent: store.write.check(agentSortKey(agent.id), agentAlive) },
      }
    },
    { errors: { agent: () => notFound('Agent') } },
  )
  return stored
}

function withSender(
  { channels, revision }: Senders,
  { channel, id, ...sender }: DecidedSender,
): Senders {
  const known = channels[channel] ?? {}
  const name = sender.name ?? known[id]?.name ?? null
  const decidedAt = new Date().toISOString()
  const next = { ...known, [id]: { ...sender, name, decidedAt } }
  if (Object.keys(next).length > maxSenders) {
    const first = firstBlocked(known)
    if (first === undefined) throw sendersFull()
    delete next[first]
  }
  return { channels: { ...channels, [channel]: next }, revision: revision + 1 }
}

type Known = NonNullable<Senders['channels'][BotChannel]>

/** Returns the sender that was blocked before all others. */
function firstBlocked(known: Known): string | undefined {
  const blocked = Object.entries(known).filter(([, { state }]) => state === 'blocked')
  return blocked.toSorted(([, a], [, b]) => (a.decidedAt < b.decidedAt ? -1 : 1))[0]?.[0]
}

/** @returns true if the running bot has the decision */
async function sendToBot(
  ctx: Pick<Context, 'table' | 'log'> & ReachContext,
  agent: Agent,
  { channel, senders }: { channel: BotChannel; senders: Senders },
): Promise<boolean> {
  if (!isRunning(agent)) return false
  try {
    const gateway = await agentGateway(ctx, agent)
    const path = `/senders/${channel}?revision=${senders.revision}`
    const [approved, blocked] = (['approved', 'blocked'] as const).map((state) =>
      sendersOn(senders, channel, state),
    )
    await gateway.put(path, { approved, blocked })
    return true
  } catch (error) {
    // The agent runs no bots, has an older image or has stopped. It gets the decision at its next start.
    ctx.log.warn('a bot did not receive its approved and blocked senders', {
      agentId: agent.id,
      error,
    })
    return false
  }
}
