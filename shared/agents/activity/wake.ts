import { transition } from '../../watchdog/transition.ts'
import { notFound, PlatformError } from '../../platform/errors.ts'
import type { Agent } from '../agent.ts'
import { changeAgent } from '../change.ts'
import { nextGeneration } from '../lifecycle/generation.ts'
import { sendStart } from '../provisioning/messages.ts'
import type { ActivityContext } from './context.ts'

/**
 * Starts an agent that is asleep; every other is left as it is. However many wake it at once, it starts once.
 * @param agent as the caller saw it
 * @throws PlatformError 503 PROVISIONING_DISABLED while KILL_SWITCH, 404 where it is deleted meanwhile
 */
export async function wakeAgent(ctx: ActivityContext, agent: Agent): Promise<Agent> {
  if (!agent.asleep) return agent
  if (ctx.config.KILL_SWITCH)
    throw new PlatformError('unavailable', 'Provisioning is disabled', {
      code: 'PROVISIONING_DISABLED',
    })
  const stored = await changeAgent(ctx.table, agent, (current) => {
    if (!current.asleep || current.deleting) return current
    const started = { type: 'started-by-person' } as const
    const { watchdog } = transition(current.watchdog, started, ctx.config, Date.now())
    return { ...nextGeneration(current), watchdog, waking: true }
  })
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  // Also for who came second: the first may have died before it could ask.
  if (stored.waking && stored.taskArn === undefined)
    await sendStart(ctx.queues, stored, { reason: 'wake' })
  return stored
}
