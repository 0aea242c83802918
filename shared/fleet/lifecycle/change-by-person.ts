import { notFound, PlatformError } from '../../platform/errors.ts'
import type { Agent } from '../../agents/agent.ts'
import { type AgentChange, changeAgent } from '../../agents/change.ts'
import type { AgentServices, Asked } from '../../agents/context.ts'
import { sendStart } from '../provisioning/messages.ts'
import { byPerson } from './by-person.ts'
import { nextGeneration, permitted } from './generation.ts'
import { permitStart, type StartPermit, type Starter } from '../../agents/permit.ts'

/** What a person's change makes of an agent, and whether it takes another container to come about. */
export interface PersonsChange {
  agent: Agent
  restarts: boolean
}

const kinds = { config: 'configured', token: 'restarted', update: 'updated' } as const

export interface ChangeByPerson {
  /** As the caller saw it. */
  agent: Agent
  reason: 'config' | 'token' | 'update'
  by: Starter
  /** Pure; it is called again where another write came first. */
  decide: (current: Agent) => PersonsChange
  entry?: AgentChange['entry']
}

/**
 * Changes an agent because a person wants it, and starts it anew where that takes it: both are one write, so none of
 * several changes at once is lost or left without its container.
 * @returns the agent as it is then
 * @throws PlatformError 404 where it is deleted meanwhile, what `decide` throws, and where it would start 402 and 409
 * as permitStart, which change nothing
 */
export async function changeByPerson(
  ctx: AgentServices & Asked,
  { agent, reason, by, decide, entry }: ChangeByPerson,
): Promise<Agent> {
  const permit = await permitStart(ctx, agent, by).catch((refusal: unknown) => refused(refusal))
  const forgiven = byPerson('started')
  let restarts = false
  const stored = await changeAgent(ctx, {
    agent,
    decide: (current) => {
      if (current.deleting) return current
      const change = decide(current)
      restarts = change.restarts
      if (restarts) permit.check(current)
      return restarts ? forgiven(permitted(nextGeneration(change.agent), permit)) : change.agent
    },
    onStart: permit.paid,
    awakeLimit: permit.awakeLimit,
    kind: kinds[reason],
    ...(entry && { entry }),
  })
  if (stored === undefined || stored.deleting) throw notFound('Agent')
  if (restarts) await sendStart(ctx.queues, stored, { reason })
  return stored
}

/** A refusal that counts only where the change turns out to start the agent. */
function refused(refusal: unknown): StartPermit {
  if (!(refusal instanceof PlatformError)) throw refusal
  return {
    check: () => {
      throw refusal
    },
  }
}
