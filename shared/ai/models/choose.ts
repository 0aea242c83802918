import { notConfigured, PlatformError } from '../../platform/errors.ts'
import { modelsOf, type TaskTier } from '../../plans/model-sets.ts'
import type { Plan } from '../../plans/plans.ts'
import type { Providers, Route } from '../providers/provider.ts'
import type { Catalogue } from './catalogue.ts'
import { generalTier } from './tiers.ts'

/** The stand-in's model, which belongs to every plan where there is a stand-in: contract.md 5. */
export const standInModel = 'local/echo'

export interface ModelChoice {
  plan: Plan
  /** The model that was asked for; none, or `auto`, leaves the choice to the tier. */
  model: string | undefined
  /**
   * An agent's container asks by the name that its owner gave it, which may be a runtime's own (`claude-opus-4-6`,
   * `gpt-4`, `custom`). A name without a vendor is no routing id, so it leaves the choice to the tier.
   */
  agent: boolean
  tier?: TaskTier | undefined
}

interface Sources {
  providers: Providers
  catalogue: Catalogue
}

/** Where a call may go, in the order to try; with `only` nowhere but to the user's own keys, for that one model. */
export interface Choice {
  routes: Route[]
  /** The model that the platform itself does not open. */
  only?: string
}

/**
 * The models to try, in order: the one asked for, the others of its vendor in the plan's set, then the tier's. A model
 * that the platform's providers do not list goes to the user's own keys alone, and nothing takes its place: what
 * such a key opens is its user's to pay, whether or not it is a real one.
 * @throws PlatformError 403 MODEL_RESTRICTED, 404 MODEL_NOT_FOUND, 503 where no provider could serve any
 */
export async function chooseModels(
  { providers, catalogue }: Sources,
  { plan, model, agent, tier = generalTier }: ModelChoice,
): Promise<Choice> {
  if (providers.all.length === 0) throw notConfigured('AI', ['AI_BASE_URL', 'AI_API_KEY'])
  const named =
    model === undefined || model === 'auto' || (agent && !model.includes('/')) ? [] : [model]
  for (const id of named) {
    requireInPlan(providers, plan, id)
    if (await isListed({ providers, catalogue }, plan, id)) continue
    const own = providers.routes(id).filter((route) => route.own !== undefined)
    if (own.length === 0) throw unlisted(id)
    return { routes: own, only: id }
  }
  const ids = [
    ...named,
    ...named.flatMap((id) => siblings(providers, id, plan)),
    ...modelsFor(providers, tier),
  ]
  const routes = [...new Set(ids)].flatMap((id) => providers.routes(id))
  if (routes.length === 0) throw notConfigured('AI', ['AI_BASE_URL', 'AI_API_KEY'])
  return { routes }
}

/** A named model that no provider lists. */
export function unlisted(id: string, cause?: unknown): PlatformError {
  return new PlatformError('not-found', `No provider lists the model ${id}`, {
    code: 'MODEL_NOT_FOUND',
    details: { param: 'model' },
    ...(cause !== undefined && { cause }),
  })
}

/** The ids that a plan's callers may ask for by name; null for all. */
export function allowedModels(providers: Providers, plan: Plan): string[] | null {
  const models = modelsOf(providers.sets, plan)
  return models && [...models, ...standInModels(providers)]
}

/** The models of a tier; they go through the routing provider, and without one the stand-in takes their place. */
export function modelsFor(providers: Providers, tier: TaskTier): readonly string[] {
  return providers.router === undefined ? standInModels(providers) : providers.sets.tasks[tier]
}

function standInModels(providers: Providers): string[] {
  return providers.standIn === undefined ? [] : [standInModel]
}

/** @throws PlatformError 403 MODEL_RESTRICTED */
export function requireInPlan(providers: Providers, plan: Plan, id: string): void {
  const allowed = allowedModels(providers, plan)
  if (allowed === null || allowed.includes(id)) return
  throw new PlatformError('forbidden', `The model ${id} is not part of the ${plan.name} plan`, {
    code: 'MODEL_RESTRICTED',
    details: { allowedModels: allowed, param: 'model' },
  })
}

/** Returns the vendor's other models in a plan's set. For a plan without a set, the models of all plans. */
function siblings({ sets }: Providers, id: string, plan: Plan): string[] {
  const vendor = id.slice(0, id.indexOf('/') + 1)
  const models = modelsOf(sets, plan) ?? [...new Set(Object.values(sets.plans).flat())]
  return models.filter((other) => other !== id && other.startsWith(vendor))
}

/** Whether the platform's own providers serve a model, as far as anybody can tell. */
async function isListed(
  { providers, catalogue }: Sources,
  plan: Plan,
  id: string,
): Promise<boolean> {
  // What a plan names is known, also where no provider lists it.
  const { sets } = providers
  const named = modelsOf(sets, plan) !== null || sets.all.has(id)
  if (named || standInModels(providers).includes(id)) return true
  const route = providers.routes(id).find(({ own }) => own === undefined)
  if (route === undefined) return false
  const listed = await catalogue.list(route.provider)
  // A provider that cannot be asked just now is left to say it by itself.
  return listed.size === 0 || listed.has(id)
}
