import * as z from 'zod'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Agent } from '../record/agent.ts'
import { isRunning } from '../record/running.ts'
import { locate, type ReachContext } from './gateway.ts'
import { parseAnswer, readWhole } from './read-whole.ts'
import { requestAgent } from './request.ts'

const timeouts = { idleMs: 5000, totalMs: 5000 }

/** The health response of a gateway: spec.md, Health and heartbeat. */
const readiness = z.object({
  ready: z.boolean(),
  failing: z.array(z.string()).catch([]),
  uptimeMs: z.number().nullable().catch(null),
})

export interface AgentHealth {
  healthy: boolean
  failing: string[]
  uptimeMs: number | null
  /** Why the health is unknown. Null if it is known. */
  error: string | null
}

/**
 * Gets the health of an agent. A missing response is a result, not an error.
 * @throws PlatformError 503 as `locate`
 */
export async function askHealth(ctx: ReachContext, agent: Agent): Promise<AgentHealth> {
  if (!isRunning(agent)) return unknown('The agent is not running')
  const target = await locate(ctx, agent)
  try {
    const { body } = await requestAgent({ ...target, method: 'GET', path: '/readyz' }, timeouts)
    const { ready, ...said } = readiness.parse(parseAnswer(await readWhole(body)))
    return { healthy: ready, ...said, error: null }
  } catch (error) {
    return unknown(
      error instanceof PlatformError ? error.message : 'The agent’s answer cannot be read',
    )
  }
}

function unknown(error: string): AgentHealth {
  return { healthy: false, failing: [], uptimeMs: null, error }
}
