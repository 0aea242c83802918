import type { PlanSize } from './types.ts'

/**
 * One task definition for each plan: contract.md 4. Fargate accepts only certain pairs of CPU and memory. The larger
 * plans include agents that are never interrupted.
 */
export const planSizes: readonly PlanSize[] = [
  { plan: 'label', cpu: 512, memoryMb: 2048, spot: true },
  { plan: 'solo', cpu: 1024, memoryMb: 2048, spot: true },
  { plan: 'collective', cpu: 2048, memoryMb: 4096, spot: false },
  { plan: 'network', cpu: 4096, memoryMb: 16384, spot: false },
]

/** The container's name in every task definition. */
export const containerName = 'agent'

/** The agent gateway's port inside its container: spec.md, Health and heartbeat. */
export const gatewayPort = 18789

/** Fargate's maximum; an agent may be in the middle of a long answer when it is stopped. */
export const stopTimeoutSeconds = 120

/** Container health probe: spec.md, Health and heartbeat. */
export const healthCheck = {
  path: '/readyz',
  intervalSeconds: 30,
  timeoutSeconds: 5,
  startPeriodSeconds: 20,
  retries: 5,
} as const

/** The task definition family of a plan, without the stage's prefix. */
export function familyOf(plan: PlanSize['plan']): string {
  return `agent-${plan}`
}
