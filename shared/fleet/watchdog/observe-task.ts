import { applyTaskEvent } from '../tasks/apply-event.ts'
import type { TaskEvent } from '../tasks/topic.ts'
import { needsSync } from '../../agents/needs-sync.ts'
import { carryOut } from './carry-out.ts'
import type { WatchdogContext } from './context.ts'
import type { Effect } from '../../watchdog/event.ts'
import { settle } from './settle.ts'
import { checks } from './topic.ts'

/** An ECS task state change: moves the agent, and its watchdog in the same write. */
export async function observeTask(
  ctx: WatchdogContext,
  event: TaskEvent,
  now = Date.now(),
): Promise<void> {
  let effects: Effect[] = []
  const { agent, change } = await applyTaskEvent(ctx, event, (seen) => {
    const settled = settle(seen, ctx.settings, now)
    effects = settled.effects
    return settled.agent
  })
  if (agent === undefined) return
  await carryOut(ctx, { agent, effects }, now)
  // It ran before a check came by, and what it lacks must not wait for the next.
  if (change === 'healthy' && needsSync(agent))
    await ctx.queues.send(checks, {
      agents: [{ userId: agent.userId, agentId: agent.id, dueAt: null }],
    })
}
