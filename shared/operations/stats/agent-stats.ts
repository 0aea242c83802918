import type * as z from 'zod'
import type { ReachContext } from '#shared/agents/agent-gateway/gateway.ts'
import { type Agent, ownerOf } from '#shared/agents/record/agent.ts'
import { listRollups } from '#shared/ai/usage/queries/rollups.ts'
import { performanceOf, sumOf } from '#shared/ai/usage/queries/totals.ts'
import { messageTotal } from '#shared/conversations/chat/message-total.ts'
import { lastDays } from '#shared/platform/days.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
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
