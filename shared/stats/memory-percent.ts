import { plans } from '../plans/plans.ts'
import type { Agent } from '../agents/agent.ts'

/** Of the memory that the agent's plan gives its container, with one decimal; null where it is not known. */
export function memoryPercent({ plan }: Pick<Agent, 'plan'>, bytes: number | null): number | null {
  if (bytes === null) return null
  return Math.round((bytes / (plans[plan].container.memoryGb * 1024 ** 3)) * 1000) / 10
}
