import file from './model-sets.json' with { type: 'json' }
import type { Plan } from './plans.ts'

export type TaskTier = 'reasoning' | 'coding' | 'fast' | 'creative'

type PlanSets = Readonly<Record<'label' | 'solo' | 'collective', readonly string[]>>

/** The sets that settings replace: contract.md 5. */
export interface ModelSettings {
  PLAN_MODELS?: (PlanSets & { further?: Partial<PlanSets> | undefined }) | undefined
  TASK_MODELS?: Readonly<Record<TaskTier, readonly string[]>> | undefined
  DEMO_MODELS?: readonly string[] | undefined
}

/** The models that the platform uses by default, by routing id. */
export interface ModelSets {
  /** The sets by plan; plans without a set may use all models. */
  plans: Readonly<Record<string, readonly string[]>>
  /** The models of further families, such as embeddings, that callers of a plan may also request by name. */
  further: Readonly<Record<string, readonly string[] | undefined>>
  /** The models for each kind of task, the first choice first. */
  tasks: Readonly<Record<TaskTier, readonly string[]>>
  /** The models of the demo, the default first. */
  demo: readonly string[]
  /** All models of plans and tasks, without the models of further families. */
  all: ReadonlySet<string>
}

const names = new Map<string, string>(Object.entries(file.names))

/** Returns the sets from the settings; a set without a setting comes from model-sets.json. */
export function modelSetsOf(settings: ModelSettings): ModelSets {
  const { further = {}, ...plans } = settings.PLAN_MODELS ?? {
    ...file.plans,
    further: file.further,
  }
  const tasks = settings.TASK_MODELS ?? file.tasks
  const demo = settings.DEMO_MODELS ?? file.demo
  const all = new Set([...Object.values(plans).flat(), ...Object.values(tasks).flat()])
  return { plans, further, tasks, demo, all }
}

/** Returns the ids of a plan's set, which its callers may request by name; null for all. */
export function modelsOf({ plans }: ModelSets, { name, models }: Plan): readonly string[] | null {
  return models ?? plans[name] ?? null
}

/** Returns the ids of further families that a plan's callers may also request by name. */
export function furtherOf({ further }: ModelSets, { name, models }: Plan): readonly string[] {
  return models === undefined ? (further[name] ?? []) : []
}

/** Returns the name of a model whose provider sends no name: the name in model-sets.json, or the id. */
export function nameOf(id: string): string {
  return names.get(id) ?? id
}
