import { planNames, plans } from '../../plans/plans.ts'

/** contract.md 5: the models of each kind of task, the first choice first. */
const tiers = {
  reasoning: ['deepseek/deepseek-r1', 'meta-llama/llama-3.3-70b-instruct', 'moonshotai/kimi-k2.5'],
  coding: [
    'qwen/qwen-2.5-coder-32b-instruct',
    'deepseek/deepseek-r1',
    'google/gemini-2.0-flash-001',
  ],
  fast: [
    'meta-llama/llama-3.3-70b-instruct',
    'mistralai/mistral-7b-instruct',
    'google/gemini-2.0-flash-001',
  ],
  creative: ['moonshotai/kimi-k2.5', 'deepseek/deepseek-r1', 'meta-llama/llama-3.3-70b-instruct'],
} as const satisfies Record<string, readonly string[]>

export type TaskTier = keyof typeof tiers

/** The tier of a call that names neither model nor task. */
export const generalTier: TaskTier = 'fast'

/** What a caller may say that it needs a model for; `general` is the fast tier: contract.md 5. */
export const taskTypes = ['general', 'reasoning', 'coding', 'fast', 'creative'] as const

export type TaskType = (typeof taskTypes)[number]

export function tierOf(taskType: TaskType): TaskTier {
  return taskType === 'general' ? generalTier : taskType
}

export function tierModels(tier: TaskTier): readonly string[] {
  return tiers[tier]
}

/** Every model that a plan names. */
const planModels = [...new Set(planNames.flatMap((name) => plans[name].models ?? []))]

/** Every model that the platform knows by itself, without asking a provider. */
const wellKnown: ReadonlySet<string> = new Set([...planModels, ...Object.values(tiers).flat()])

export function isWellKnown(id: string): boolean {
  return wellKnown.has(id)
}

export function wellKnownModels(): string[] {
  return [...wellKnown]
}

/** The other models that a plan's set has of a model's vendor; a plan without a set counts those of every plan. */
export function siblings(id: string, planSet: readonly string[] | null): string[] {
  const vendor = id.slice(0, id.indexOf('/') + 1)
  return (planSet ?? planModels).filter((other) => other !== id && other.startsWith(vendor))
}
