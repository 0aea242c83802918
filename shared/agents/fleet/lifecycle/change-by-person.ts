import type { Agent } from '#shared/agents/record/agent.ts'
import { type AgentChange, changeAgent } from '#shared/agents/record/change.ts'
import type { AgentContext, AgentSetting, ChangeAuthor } from '#shared/agents/record/context.ts'
import { permitStart, type StartPermit, type Starter } from '#shared/agents/record/permit.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import { sendStart } from '../requests/send.ts'
import { nextGeneration } from '../states/generation.ts'
import { byPerson } from './by-person.ts'
import { withPermit } from './generation.ts'

/** The changed agent, and whether the change requires another container. */
interface PersonsChange {
  agent: Agent
  restarts: boolean
}

const kinds = { config: 'configured', token: 'restarted', update: 'updated' } as const

export interface ChangeByPerson {
  /** The agent as the caller last read it. */
  agent: Agent
  reason: 'config' | 'token' | 'update'
  by: Starter
  /** Pure. Called again if another write came first. */
  decide: (current: Agent) => PersonsChange
  entry?: AgentChange['entry']
}

/**
 * Changes an agent for a person, and restarts it if necessary. Both are one write, so concurrent changes are not
 * lost and each gets its container.
 * @returns the current agent
 * @throws PlatformError 404 if it is deleted in the meantime, the errors of `decide`, and if it would start 402 and 409
 * as permitStart, which change nothing
 */
export async function changeByPerson(
  ctx: AgentContext & Reads<AgentSetting> & ChangeAuthor,
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
      return restarts ? forgiven(withPermit(nextGeneration(change.agent), permit)) : change.agent
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

/** Returns a permit that throws an error only if the change starts the agent. */
function refused(refusal: unknown): StartPermit {
  if (!(refusal instanceof PlatformError)) throw refusal
  return {
    check: () => {
      throw refusal
    },
  }
}
