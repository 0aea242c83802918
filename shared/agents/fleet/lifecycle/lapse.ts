import type { Agent } from '#shared/agents/record/agent.ts'
import { isAwakeLimit } from '#shared/agents/record/awake.ts'
import { type AlongWrite, changeAgent } from '#shared/agents/record/change.ts'
import { hasOwnBot } from '#shared/agents/record/config/channels.ts'
import type { AgentContext } from '#shared/agents/record/context.ts'
import { isWanted } from '#shared/agents/record/paid-access.ts'
import { isoOf } from '#shared/platform/times.ts'
import { makeRoom } from '../activity/make-room.ts'
import { sleepForLimit } from '../activity/sleep.ts'
import { sendStart, sendStops } from '../requests/send.ts'
import { stopped } from '../states/end.ts'
import { nextGeneration } from '../states/generation.ts'
import { byPerson } from './by-person.ts'

interface Lapse {
  agent: Agent
  /** Requires that the owner's plan has not changed since it was evaluated. */
  onChange: AlongWrite
}

/** An agent beyond the limit of its owner's plan is kept for this long, in milliseconds. */
export const lapsedRetentionMs = 30 * 86_400_000

/**
 * Stops an agent beyond the limit of its owner's plan, like a stop by a person. An agent that no longer runs is left
 * unchanged.
 * @param input.why a message for the agent's owner
 * @throws the error of `onChange` if the plan has changed in the meantime
 */
export async function lapseAgent(
  ctx: AgentContext,
  { agent, onChange, why }: Lapse & { why: { code: string; text: string } },
  now = Date.now(),
): Promise<void> {
  const rest = byPerson('stopped', now)
  const at = isoOf(now)
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
 * Restarts an agent that was stopped because of a plan's limit. An agent that a person or an operator has stopped or
 * started in the meantime is left unchanged. If no more agents can be awake, it becomes asleep; for an agent whose
 * container runs a bot, an idle agent goes to sleep instead, if there is one.
 * @param input.awakeLimit the maximum number of the owner's awake agents; undefined for no limit
 * @throws the error of `onChange` if the plan has changed in the meantime
 */
export async function resumeAgent(
  ctx: AgentContext,
  { agent, onChange, awakeLimit }: Lapse & { awakeLimit: number | undefined },
  now = Date.now(),
): Promise<void> {
  const forgiven = byPerson('started', now)
  const resumedAt = isoOf(now)
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
      // No message of a chat service wakes a container, but requests wake the idle agent.
      if (
        awakeLimit !== undefined &&
        hasOwnBot(agent) &&
        (await makeRoom(ctx, { agent, limit: awakeLimit }, now))
      )
        return start()
      return change((current) => sleepForLimit(current, now))
    }
  }
  const stored = await start()
  if (stored?.resumedAt === resumedAt && stored.desired === 'running')
    await sendStart(ctx.queues, stored, { reason: 'plan' })
}
