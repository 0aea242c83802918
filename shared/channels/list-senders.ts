import type { ReachContext } from '../agent-gateway/gateway.ts'
import type { Agent } from '../agents/agent.ts'
import { readSenders } from '../agents/senders/read.ts'
import type { Table } from '../platform/table/port.ts'
import { readWaiting, requireBot } from './bot.ts'
import type { SenderView } from './schema.ts'

/**
 * Who writes to an agent's bot: those who wait, and those who were decided on.
 * @throws PlatformError 404 where the agent has no such bot, and as agentGateway
 */
export async function listSenders(
  ctx: ReachContext & { table: Table },
  { agent, channelId }: { agent: Agent; channelId: string },
): Promise<SenderView[]> {
  const channel = requireBot(agent, channelId)
  const [{ channels }, waiting] = await Promise.all([
    readSenders(ctx.table, agent),
    readWaiting(ctx, { agent, channel }),
  ])
  const known = channels[channel] ?? {}
  const decided = Object.entries(known)
    .toSorted(([, a], [, b]) => (a.decidedAt < b.decidedAt ? 1 : -1))
    .map(([id, { name, state }]) => ({ id, name, state, code: null }))
  return [...waiting.filter(({ id }) => !Object.hasOwn(known, id)), ...decided]
}
