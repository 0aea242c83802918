import * as z from 'zod'
import { agentGateway, type ReachContext } from '#shared/agents/agent-gateway/gateway.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { isRunning } from '#shared/agents/record/running.ts'
import { PlatformError } from '#shared/platform/errors.ts'

/** Short, so that a request for figures does not wait for a busy agent. */
const timeouts = { idleMs: 2000, totalMs: 2000 }

const figure = z.number().min(0).nullable().catch(null)

/**
 * The container's response: agent/README.md, GET /stats. The container runs the user's code, so every field is
 * validated.
 */
const answer = z.object({
  /** The CPU time in percent of one core. */
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

/** The figures before the first response, and if the container does not report them. */
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

/**
 * Returns the figures of an agent's container; missing figures are null. @throws PlatformError 503 if not
 * configured
 */
export async function containerStats(
  ctx: ReachContext,
  { agent }: { agent: Agent },
): Promise<ContainerStats> {
  if (!isRunning(agent)) return unknown
  const gateway = await agentGateway({ ...ctx, timeouts }, agent)
  try {
    return answer.parse(await gateway.get('/stats'))
  } catch (error) {
    // An agent that is stopping, or has another API, has no figures; the request must not fail.
    if (error instanceof PlatformError || error instanceof z.ZodError) return unknown
    throw error
  }
}
