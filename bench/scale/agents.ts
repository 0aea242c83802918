import type { Agent } from '#shared/agents/record/agent.ts'
import { newWatchdog } from '#shared/agents/watchdog/schema.ts'
import { withPlace } from '#tests/support/agents/agent-rows.ts'
import type { Cluster } from './cluster.ts'

/** Makes a row about as large as a typical one, 3.7 KB, with its prompt and past incidents. */
const systemPrompt = 'You help people to book what they need. '.repeat(40)

/** Returns a healthy running agent. Ids are spread like real ones, and the same in every run. */
export function agentOf(n: number, cluster: Cluster): Agent {
  const now = Date.now()
  const id = `agt_${idOf(n)}`
  const { arn, address } = cluster.place(id)
  const at = new Date(now - 600_000).toISOString()
  const resolved = { step: 'restart' as const, attempt: 1, resolvedAt: at }
  const incidents = Array.from({ length: 8 }, () => ({
    at,
    cause: 'its gateway did not answer in time, and it was started again',
    ...resolved,
  }))
  return withPlace({
    id,
    userId: `usr_${n % 1000}`,
    name: `Agent ${n}`,
    subdomain: `agent-${n}`,
    model: 'gpt-4',
    plan: 'solo',
    aiProvider: 'router',
    config: { systemPrompt },
    image: 'agent:1',
    status: 'running',
    desired: 'running',
    generation: 1,
    revision: 5,
    tokenVersion: 1,
    taskArn: arn,
    taskStatus: 'RUNNING',
    taskHealth: 'HEALTHY',
    taskVersion: 3,
    address,
    startedAt: at,
    located: true,
    watchdog: { ...newWatchdog(now), state: 'running', generation: 1, dueAt: now, incidents },
    createdAt: at,
    updatedAt: at,
  })
}

const digits = '0123456789abcdefghjkmnpqrstvwxyz'

/** Returns a ULID with digits from mulberry32 of a number. */
function idOf(n: number): string {
  let state = Math.imul(n + 1, 0x9e3779b1)
  const random = Array.from({ length: 16 }, () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return digits[(mixed ^ (mixed >>> 14)) & 31]
  })
  return `01ke000000${random.join('')}`
}
