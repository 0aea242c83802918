import { planSizes } from '#shared/manifest/containers.ts'
import { type Amount, parse } from '../amounts/amount.ts'

/** spec.md, Plans. contract.md 4 and 5 define the container sizes and model sets. */

export const planNames = ['label', 'solo', 'collective', 'network'] as const

export type PlanName = (typeof planNames)[number]

export interface Plan {
  name: PlanName
  /** Price per month. */
  price: Amount<'GBP'>
  /** The maximum number of agents of a user. */
  agents: number
  /** The maximum number of awake agents: as many as the price covers if they never sleep (docs/operate/costs.md). */
  awake: number
  /** The maximum number of installed skills of a user. */
  skills: number
  /** Agent-to-agent messages a day. */
  dailyMessages: number
  /** The storage for the files of a user's agents, in GB: contract.md 16. */
  storageGb: number
  /** Input and output tokens per calendar month; null for no limit. */
  monthlyTokens: number | null
  /** Ids of the models that callers may request by name, in place of the plan's own set (model-sets.ts). */
  models?: readonly string[]
  /** The resources of each container of the plan. */
  container: { cpu: number; memoryGb: number }
}

export const plans: Readonly<Record<PlanName, Plan>> = {
  label: {
    name: 'label',
    price: parse('GBP', '29'),
    agents: 1,
    awake: 1,
    skills: 3,
    dailyMessages: 100,
    storageGb: 1,
    monthlyTokens: 20_000_000,
    container: containerOf('label'),
  },
  solo: {
    name: 'solo',
    price: parse('GBP', '79'),
    agents: 3,
    awake: 3,
    skills: 10,
    dailyMessages: 500,
    storageGb: 5,
    monthlyTokens: 2_000_000,
    container: containerOf('solo'),
  },
  collective: {
    name: 'collective',
    price: parse('GBP', '199'),
    agents: 10,
    awake: 4,
    skills: 25,
    dailyMessages: 2000,
    storageGb: 20,
    monthlyTokens: 6_000_000,
    container: containerOf('collective'),
  },
  network: {
    name: 'network',
    price: parse('GBP', '499'),
    agents: 100,
    awake: 4,
    skills: 100,
    dailyMessages: 10_000,
    storageGb: 100,
    monthlyTokens: null,
    container: containerOf('network'),
  },
}

/** Converts the manifest's sizes from ECS's units to vCPUs and GB. */
function containerOf(name: PlanName): Plan['container'] {
  const size = planSizes.find(({ plan }) => plan === name)
  if (size === undefined) throw new Error(`the manifest has no container for ${name}`)
  return { cpu: size.cpu / 1024, memoryGb: size.memoryMb / 1024 }
}

/** Returns the plan with that name; undefined for `free` and every other name that is not a plan. */
export function findPlan(name: string | undefined): Plan | undefined {
  return planNames.some((known) => known === name) ? plans[name as PlanName] : undefined
}
