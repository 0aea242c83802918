import { setTimeout as wait } from 'node:timers/promises'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { AgentContext } from '#shared/agents/record/context.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { isRunning, notRunning, type RunningAgent } from '#shared/agents/record/running.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { Waiting } from './context.ts'

const firstPollMs = 100
const longestPollMs = 1000

/**
 * Waits until a starting agent runs, with one read per poll.
 * @throws PlatformError 504 AGENT_TIMEOUT, 409 AGENT_NOT_RUNNING if it fails or is stopped, 404 if it is deleted
 */
export async function awaitRunning(
  { table }: Pick<AgentContext, 'table'>,
  { agent, timeoutMs, signal }: Waiting,
): Promise<RunningAgent> {
  const deadline = Date.now() + timeoutMs
  let current: Agent | undefined = agent
  for (let pollMs = firstPollMs; ; pollMs = Math.min(longestPollMs, pollMs * 1.5)) {
    if (current === undefined || current.deleting) throw notFound('Agent')
    if (isRunning(current)) return current
    if (current.desired === 'stopped') throw notRunning(current)
    const remainingMs = deadline - Date.now()
    if (remainingMs <= 0)
      throw new PlatformError('timeout', 'The agent did not start in time', {
        code: 'AGENT_TIMEOUT',
      })
    await pause(Math.min(pollMs, remainingMs), signal)
    current = await readAgent(table, { userId: agent.userId, agentId: agent.id })
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(ms, undefined, { signal })
  } catch (cause) {
    throw new PlatformError('bad-request', 'The caller disconnected', { cause })
  }
}
