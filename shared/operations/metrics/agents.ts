import type { Agent } from '#shared/agents/record/agent.ts'

/** Returns the number of agents by state. */
export function countAgents(agents: readonly Agent[]) {
  const total = agents.length
  const active = agents.filter(({ status }) => status === 'running').length
  const failed = agents.filter(({ status }) => status === 'error').length
  return { total, active, inactive: total - active - failed, failed }
}

/**
 * Counts the outcomes of the latest deployment of each agent. An agent that a person stopped without a fault counts as
 * successful.
 */
export function countDeployments(agents: readonly Agent[]) {
  const deployed = agents.filter(({ generation }) => generation > 0)
  const ended = deployed.filter(({ status }) => status === 'running' || status === 'stopped')
  const failed = deployed.filter(({ status }) => status === 'error')
  return { total: deployed.length, successful: ended.length, failed: failed.length }
}
