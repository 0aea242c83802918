import { needsSync } from '#shared/agents/record/needs-sync.ts'
import type { Effect } from '#shared/agents/watchdog/event.ts'
import { applyTaskEvent } from '../tasks/apply-event.ts'
import type { TaskEvent } from '../tasks/topic.ts'
import { applyEffects } from './apply-effects.ts'
import type { WatchdogContext } from './context.ts'
import { settleWatchdog } from './settle.ts'
import { checks } from './topic.ts'

/** Applies an ECS task state change to the agent and its watchdog in the same write. */
export async function observeTask(
  ctx: WatchdogContext,
  event: TaskEvent,
  now = Date.now(),
): Promise<void> {
  let effects: Effect[] = []
  const { agent, change } = await applyTaskEvent(ctx, event, (seen) => {
    const settled = settleWatchdog(seen, ctx.settings, now)
    effects = settled.effects
    return settled.agent
  })
  if (agent === undefined) return
  await applyEffects(ctx, { agent, effects }, now)
  // The agent ran before a check, so its missing data is synced now.
  if (change === 'healthy' && needsSync(agent))
    await ctx.queues.send(checks, {
      agents: [{ userId: agent.userId, agentId: agent.id, dueAt: null }],
    })
}
