import { type Agent, liveTasks } from '../../agents/agent.ts'
import type { AgentContext } from '../../agents/context.ts'
import { startGeneration } from '../lifecycle/generation.ts'
import { sendDelete, sendObserve, sendStart, sendStops } from '../provisioning/messages.ts'
import type { DueAgent } from '../watchdog/due-agent.ts'

/** How long a message may take before it counts as lost, in milliseconds; longer than a consumer's whole backoff step. */
const graceMs = 30_000

/** How long a task may be on its way without an event: a container that is fetched is silent for a while. */
const silenceMs = 90_000

/**
 * What is missing for an agent to be as it should be. `restart` needs a new generation: its task has ended. `news` are
 * the events of a task, which should have come.
 */
export type Missing = 'start' | 'restart' | 'stop' | 'news' | 'delete'

/** Compares what is wanted of an agent with what was seen of it; undefined where nothing is missing or it is too soon. */
export function missing(agent: DueAgent, now: number): Missing | undefined {
  const since = Math.max(Date.parse(agent.updatedAt), agent.retryAt ?? 0)
  if (now - since < graceMs) return undefined
  if (agent.deleting) return 'delete'
  if (agent.desired === 'stopped') return liveTasks(agent).length > 0 ? 'stop' : undefined
  if (agent.taskArn === undefined) return 'start'
  const onItsWay = agent.status === 'provisioning' && agent.taskStatus !== 'STOPPED'
  if (onItsWay && agent.taskStatus !== 'RUNNING')
    return now - since < silenceMs ? undefined : 'news'
  // A crash is the watchdog's to answer; a task that was merely lost is not.
  const lost = agent.taskStatus === 'STOPPED' && agent.status === 'provisioning'
  return lost && !isWatched(agent) ? 'restart' : undefined
}

/** The watchdog has a step of its own under way. */
function isWatched({ watchdog }: DueAgent): boolean {
  return watchdog.state === 'repairing' || watchdog.state === 'crash_loop'
}

/**
 * Sends again what was lost between a commit and its message. Sending what was not lost is harmless.
 * @returns what was missing
 */
export async function reconcile(
  ctx: AgentContext,
  agent: Agent,
  now = Date.now(),
): Promise<Missing | undefined> {
  const found = missing(agent, now)
  if (found === 'start') await sendStart(ctx.queues, agent)
  if (found === 'restart') await startGeneration(ctx, { agent, reason: 'host-lost' })
  if (found === 'news' && agent.taskArn !== undefined)
    await sendObserve(ctx.queues, agent, agent.taskArn)
  if (found === 'stop') await sendStops(ctx.queues, agent)
  if (found === 'delete') await sendDelete(ctx.queues, agent)
  return found
}
