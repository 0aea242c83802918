import type * as z from 'zod'
import { messageTotal } from '../chat/message-total.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { lastDays } from '../usage/days.ts'
import { listRollups } from '../usage/queries/rollups.ts'
import { performanceOf, sumOf } from '../usage/queries/totals.ts'
import { type Agent, ownerOf } from '../agents/agent.ts'
import type { ReachContext } from '../agent-gateway/gateway.ts'
import { containerStats } from './container.ts'
import { memoryPercent } from './memory-percent.ts'
import type { agentStats } from './schema.ts'

/**
 * Returns an agent's state and performance: its container's figures, its messages, and its model calls of the last
 * 30 days.
 */
export async function statsOf(
  ctx: ReachContext & { table: Table },
  { agent }: { agent: Agent },
): Promise<z.input<typeof agentStats>['stats']> {
  const owner = ownerOf(agent)
  const [figures, { asked }, rollups] = await Promise.all([
    containerStats(ctx, { agent }),
    messageTotal(userStore(ctx.table, owner), { agentId: agent.id }),
    listRollups(ctx, { userId: owner, days: lastDays(30) }),
  ])
  const { cpuPercent, memoryBytes, uptimeMs } = figures
  return {
    agentId: agent.id,
    status: agent.status,
    cpu: cpuPercent,
    memory: memoryBytes,
    memoryPercent: memoryPercent(agent, memoryBytes),
    uptimeMs,
    messagesProcessed: asked,
    ...performanceOf(sumOf(rollups.filter(({ agentId }) => agentId === agent.id))),
  }
}
