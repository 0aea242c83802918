import type { Table } from '#shared/platform/table/port.ts'
import type { ReachContext } from '../agent-gateway/gateway.ts'
import type { Agent } from '../record/agent.ts'
import { readSenders } from '../record/senders/read.ts'
import { readWaiting, requireBot } from './bot.ts'
import type { SenderView } from './schema.ts'

/**
 * Returns the senders of an agent's bot: waiting, approved and blocked.
 * @throws PlatformError 404 for an unknown bot, and as agentGateway
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
