import type { TaskTier } from '#shared/money/plans/model-sets.ts'

/** The tier of a call without a model and a task. */
export const generalTier: TaskTier = 'fast'

/** The task types of a call; `general` is the fast tier: contract.md 5. */
export const taskTypes = ['general', 'reasoning', 'coding', 'fast', 'creative'] as const

export type TaskType = (typeof taskTypes)[number]

/** Returns the tier whose models serve a kind of task. */
export function tierOf(taskType: TaskType): TaskTier {
  return taskType === 'general' ? generalTier : taskType
}
