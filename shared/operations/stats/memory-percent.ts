import type { Agent } from '#shared/agents/record/agent.ts'
import { plans } from '#shared/money/plans/plans.ts'

/** Returns the used percentage of the plan's container memory, with one decimal; null if unknown. */
export function memoryPercent({ plan }: Pick<Agent, 'plan'>, bytes: number | null): number | null {
  if (bytes === null) return null
  return Math.round((bytes / (plans[plan].container.memoryGb * 1024 ** 3)) * 1000) / 10
}
