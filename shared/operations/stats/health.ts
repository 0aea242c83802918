import type { Agent } from '#shared/agents/record/agent.ts'

/** spec.md, Container health status. */
export const containerHealths = ['healthy', 'starting', 'stopped', 'unhealthy'] as const

export type ContainerHealth = (typeof containerHealths)[number]

/** Returns the last known health of an agent's container. */
export function containerHealth({
  status,
  taskHealth,
  watchdog,
}: Pick<Agent, 'status' | 'taskHealth'> & {
  watchdog: Pick<Agent['watchdog'], 'state'>
}): ContainerHealth {
  if (status === 'provisioning') return 'starting'
  if (status !== 'running') return 'stopped'
  const unwell =
    taskHealth === 'UNHEALTHY' || ['degraded', 'repairing', 'crash_loop'].includes(watchdog.state)
  return unwell ? 'unhealthy' : 'healthy'
}
