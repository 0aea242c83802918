import type * as z from 'zod'
import { requireAgent } from '#shared/agents/record/find.ts'
import { lastImage } from '#shared/agents/record/image/last-image.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { summaryOf } from './agents.ts'
import type { agentDetail, agentRef } from './schema.ts'

const shownIncidents = 5

/** Returns one agent of any user and its state, without its config or any secret. @throws PlatformError 404 */
export async function agentInDetail(
  ctx: { table: Table },
  { agentId }: z.output<typeof agentRef>,
): Promise<z.input<typeof agentDetail>> {
  const agent = await requireAgent(ctx, { agentId, owner: undefined })
  const { watchdog } = agent
  return {
    ...summaryOf(agent),
    desired: agent.desired,
    generation: agent.generation,
    image: lastImage(agent),
    taskStatus: agent.taskStatus ?? null,
    startedAt: agent.startedAt ?? null,
    lastActiveAt: agent.lastActiveAt ?? null,
    asleep: agent.asleep ?? false,
    stopReason: agent.stopReason ?? null,
    repairAttempts: watchdog.attempts,
    incidents: watchdog.incidents.slice(-shownIncidents).toReversed(),
  }
}
