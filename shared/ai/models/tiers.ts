import type { TaskTier } from '../../plans/model-sets.ts'

/** The tier of a call that names neither model nor task. */
export const generalTier: TaskTier = 'fast'

/** What a caller may say that it needs a model for; `general` is the fast tier: contract.md 5. */
export const taskTypes = ['general', 'reasoning', 'coding', 'fast', 'creative'] as const

export type TaskType = (typeof taskTypes)[number]

export function tierOf(taskType: TaskType): TaskTier {
  return taskType === 'general' ? generalTier : taskType
}
