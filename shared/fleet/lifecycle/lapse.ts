import type { Agent } from '../../agents/agent.ts'
import { type Alongside, changeAgent } from '../../agents/change.ts'
import type { AgentContext } from '../../agents/context.ts'
import { isWanted } from '../../agents/entitled.ts'
import { sendStart, sendStops } from '../provisioning/messages.ts'
import { byPerson } from './by-person.ts'
import { stopped } from './end.ts'
import { makeRoom } from '../activity/make-room.ts'
import { giveWay } from '../activity/sleep.ts'
import { isAwakeLimit } from '../../agents/awake.ts'
import { isOnChannels } from '../../agents/config/channels.ts'
import { nextGeneration } from './generation.ts'

interface Lapse {
  agent: Agent
  /** That the owner's plan is still the one that the rule went by. */
  onChange: Alongside
}

/** How long an agent that its owner's plan has no place for is kept, in milliseconds. */
export const keptMs = 30 * 86_400_000

/**
 * Stops an agent because its owner's plan has no place for it, as a person's stop does. One that does not run any more
 * is left alone.
 * @param input.why in words, for the agent's owner
 * @throws what `onChange` throws where the plan has changed meanwhile
 */
export async function lapseAgent(
  ctx: AgentContext,
  { agent, onChange, why }: Lapse & { why: { code: string; text: string } },
  now = Date.now(),
): Promise<void> {
  const rest = byPerson('stopped', now)
  const at = new Date(now).toISOString()
  const stopReason = { ...why, exitCode: null, at }
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) =>
      isWanted(current) && !current.startedByOperator
        ? { ...rest(stopped(current)), lapsedAt: at, stopReason }
        : current,
    now,
    onChange,
  })
  if (stored?.lapsedAt !== undefined) await sendStops(ctx.queues, stored)
}

/**
 * Starts an agent again that a plan without a place for it had stopped. One that a person or an operator has stopped or
 * started since is left alone. Where no more may be awake at once, it is there again asleep;
 * for one on a chat service, another one that is idle sleeps if there is one.
 * @param input.awakeLimit how many of the owner's agents may be awake; undefined where nothing bounds them
 * @throws what `onChange` throws where the plan has changed meanwhile
 */
export async function resumeAgent(
  ctx: AgentContext,
  { agent, onChange, awakeLimit }: Lapse & { awakeLimit: number | undefined },
  now = Date.now(),
): Promise<void> {
  const forgiven = byPerson('started', now)
  const resumedAt = new Date(now).toISOString()
  const change = (resume: (current: Agent) => Agent) =>
    changeAgent(ctx, {
      agent,
      decide: (current) =>
        current.lapsedAt === undefined || current.deleting
          ? current
          : { ...resume(current), resumedAt },
      now,
      onChange,
      awakeLimit,
    })
  const start = async (): Promise<Agent | undefined> => {
    try {
      return await change((current) => forgiven(nextGeneration(current)))
    } catch (error) {
      if (!isAwakeLimit(error)) throw error
      // Nothing would wake it; another one that has nothing to do is woken by what wants it.
      if (
        awakeLimit !== undefined &&
        isOnChannels(agent) &&
        (await makeRoom(ctx, { agent, limit: awakeLimit }, now))
      )
        return start()
      return change((current) => giveWay(current, now))
    }
  }
  const stored = await start()
  if (stored?.resumedAt === resumedAt && stored.desired === 'running')
    await sendStart(ctx.queues, stored, { reason: 'plan' })
}
