import * as z from 'zod'
import { PlatformError } from '../platform/errors.ts'
import { isRunning } from '../agents/running.ts'
import type { Agent } from '../agents/agent.ts'
import { agentGateway, type ReachContext } from '../agent-gateway/gateway.ts'

/** A caller that asks for figures does not wait for an agent that is busy. */
const timeouts = { idleMs: 2000, totalMs: 2000 }

const figure = z.number().min(0).nullable().catch(null)

/** What an agent's container says of itself: agent/README.md, GET /stats. It is the user's code, so nothing is taken as given. */
const answer = z.object({
  /** Percent of one core. */
  cpuPercent: figure,
  memoryBytes: figure,
  uptimeMs: figure,
  messages: figure,
  errors: figure,
  averageResponseMs: figure,
  pids: figure,
  network: z.object({ rxBytes: figure, txBytes: figure }).nullable().catch(null),
})

export type ContainerStats = z.output<typeof answer>

/** Before there are any, and where the container does not say. */
const unknown: ContainerStats = {
  cpuPercent: null,
  memoryBytes: null,
  uptimeMs: null,
  messages: null,
  errors: null,
  averageResponseMs: null,
  pids: null,
  network: null,
}

/** The figures of an agent's container, each null where it does not say. @throws PlatformError 503 unconfigured */
export async function containerStats(
  ctx: ReachContext,
  { agent }: { agent: Agent },
): Promise<ContainerStats> {
  if (!isRunning(agent)) return unknown
  const gateway = await agentGateway({ ...ctx, timeouts }, agent)
  try {
    return answer.parse(await gateway.get('/stats'))
  } catch (error) {
    // An agent that is just stopping, or that speaks otherwise, has no figures; that is no fault of who asks.
    if (error instanceof PlatformError || error instanceof z.ZodError) return unknown
    throw error
  }
}
