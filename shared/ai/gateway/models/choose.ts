import { furtherOf, modelsOf, type TaskTier } from '#shared/money/plans/model-sets.ts'
import type { Plan } from '#shared/money/plans/plans.ts'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import { furtherModels } from '../cost.ts'
import type { Providers, Route } from '../providers/provider.ts'
import type { Catalogue } from './catalogue.ts'
import { resolveAll, resolveModel } from './resolve.ts'
import { generalTier } from './tiers.ts'

/** The stand-in's model. It belongs to every plan if the stand-in runs: contract.md 5. */
export const standInModel = 'local/echo'

export interface ModelChoice {
  plan: Plan
  /** The models that the caller's API key may use. Undefined for all. */
  models?: readonly string[] | undefined
  /** The requested model. Without one, or with `auto`, the tier decides. */
  model: string | undefined
  /**
   * True for a call of an agent's container. It sends the model name that the agent's owner set, which can be a name of
   * the runtime (`claude-opus-4-6`, `gpt-4`, `custom`). A name without a vendor is not a routing id, so the tier
   * decides.
   */
  agent: boolean
  tier?: TaskTier | undefined
  /** Returns why a model cannot answer the request; undefined if it can. Default: every model can. */
  refusal?(route: Route): PlatformError | undefined
  /** False if no other model can replace the requested one. Default: true. */
  fallsBack?: boolean
}

interface Sources {
  providers: Providers
  catalogue: Catalogue
}

/** The models to try, in order. With `only`, the list contains only the user's own keys for that model. */
export interface Choice {
  routes: Route[]
  /** The requested model. Absent if the tier decides. */
  requested?: string
  /** The model that is not available through the platform's keys. */
  only?: string
}

/**
 * Returns the models to try, in order. The requested model is first. The other models of its vendor in the plan's set
 * follow, and then the models of the tier. A model that the platform's providers do not list is only requested with the
 * user's own keys, without a fallback, because the user pays for it. If the caller's API key has a list of models, only
 * these are tried; without a requested model, they replace the tier if it contains no model of the list.
 * @throws PlatformError 403 MODEL_RESTRICTED, 404 MODEL_NOT_FOUND, 503 if no provider can serve any of them
 */
export async function chooseModels(
  { providers, catalogue }: Sources,
  choice: ModelChoice,
): Promise<Choice> {
  const { plan, tier = generalTier, refusal = () => undefined, fallsBack = true } = choice
  if (providers.all.length === 0) throw notConfigured('AI', ['AI_BASE_URL', 'AI_API_KEY'])
  const requested = requestedModel(choice)
  const ofKey = await resolveAll({ providers, catalogue }, choice.models)
  const named =
    requested === undefined ? [] : [await resolveModel({ providers, catalogue }, requested)]
  for (const id of named) {
    requireAllowed(providers, { plan, models: ofKey }, id)
    if (await isListed({ providers, catalogue }, plan, id)) continue
    const own = providers.routes(id).filter((route) => route.own !== undefined)
    if (own.length === 0) throw unlisted(id)
    return { routes: answering(own, refusal), requested: id, only: id }
  }
  const others = fallsBack
    ? [...named.flatMap((id) => siblings(providers, id, plan)), ...modelsFor(providers, tier)]
    : []
  const ids = [...named, ...others].filter(
    (id) => ofKey === undefined || ofKey.includes(id) || id === standInModel,
  )
  if (ids.length === 0 && ofKey !== undefined) ids.push(...allowedOf(providers, plan, ofKey))
  const routes = [...new Set(ids)].flatMap((id) => providers.routes(id))
  if (routes.length === 0) throw notConfigured('AI', ['AI_BASE_URL', 'AI_API_KEY'])
  const [id] = named
  return { routes: answering(routes, refusal), ...(id !== undefined && { requested: id }) }
}

function requestedModel({ model, agent, fallsBack = true }: ModelChoice): string | undefined {
  if (model === undefined || model === 'auto') return undefined
  return agent && fallsBack && !model.includes('/') ? undefined : model
}

/** Returns the routes that can answer. @throws the first route's refusal if none can */
function answering(
  routes: readonly Route[],
  refusal: (route: Route) => PlatformError | undefined,
): Route[] {
  const refusals = routes.map(refusal)
  const able = routes.filter((_, i) => refusals[i] === undefined)
  if (able.length === 0) throw refusals.find((refused) => refused !== undefined)
  return able
}

/** The error for a requested model that no provider lists. */
export function unlisted(id: string, cause?: unknown): PlatformError {
  return new PlatformError('not-found', `No provider lists the model ${id}`, {
    code: 'MODEL_NOT_FOUND',
    details: { param: 'model' },
    ...(cause !== undefined && { cause }),
  })
}

/** The callers that can request the same models. */
export interface ModelAccess {
  plan: Plan
  /** The models of the caller's API key. Undefined for all. */
  models?: readonly string[] | undefined
}

/** Returns the ids that callers can request by name. Null for all. */
export function allowedModels(
  providers: Providers,
  { plan, models }: ModelAccess,
): string[] | null {
  const { sets } = providers
  const set = modelsOf(sets, plan)
  const ofPlan = set && [...set, ...furtherOf(sets, plan), ...standInModels(providers)]
  if (models === undefined) return ofPlan
  return ofPlan === null ? [...models] : models.filter((id) => ofPlan.includes(id))
}

/** Returns the models of a tier. They use the routing provider; without one, the stand-in replaces them. */
export function modelsFor(providers: Providers, tier: TaskTier): readonly string[] {
  return providers.router === undefined ? standInModels(providers) : providers.sets.tasks[tier]
}

function standInModels(providers: Providers): string[] {
  return providers.standIn === undefined ? [] : [standInModel]
}

/** @throws PlatformError 403 MODEL_RESTRICTED */
export function requireAllowed(providers: Providers, access: ModelAccess, id: string): void {
  const allowed = allowedModels(providers, access)
  if (allowed === null || allowed.includes(id)) return
  const isOfKey = access.models?.includes(id) ?? true
  const reason = isOfKey
    ? `is not part of the ${access.plan.name} plan`
    : 'is not a model of the API key'
  const isFurther = furtherModels.has(id)
  const alike = allowed.filter((other) => furtherModels.has(other) === isFurther)
  throw restricted(`The model ${id} ${reason}`, alike)
}

function restricted(message: string, allowedModels: string[]): PlatformError {
  return new PlatformError('forbidden', message, {
    code: 'MODEL_RESTRICTED',
    details: { allowedModels, param: 'model' },
  })
}

/** Returns the key's models in the plan. @throws PlatformError 403 MODEL_RESTRICTED without any */
function allowedOf(providers: Providers, plan: Plan, models: readonly string[]): string[] {
  const allowed = allowedModels(providers, { plan, models }) ?? []
  if (allowed.length > 0) return allowed
  throw restricted(`The ${plan.name} plan has none of the API key’s models`, [])
}

/** Returns the vendor's other models in a plan's set. For a plan without a set, the models of all plans. */
function siblings({ sets }: Providers, id: string, plan: Plan): string[] {
  const vendor = id.slice(0, id.indexOf('/') + 1)
  const models = modelsOf(sets, plan) ?? [...new Set(Object.values(sets.plans).flat())]
  return models.filter((other) => other !== id && other.startsWith(vendor))
}

/** Returns whether the platform's own providers serve a model, as far as is known. */
async function isListed(
  { providers, catalogue }: Sources,
  plan: Plan,
  id: string,
): Promise<boolean> {
  // The models of plans are known even if no provider lists them.
  const { sets } = providers
  const named = modelsOf(sets, plan) !== null || sets.all.has(id) || furtherModels.has(id)
  if (named || standInModels(providers).includes(id)) return true
  const routes = providers.routes(id).filter(({ own }) => own === undefined)
  const lists = await Promise.all(routes.map(({ provider }) => catalogue.list(provider)))
  // If a provider's list is unavailable, its response to the call decides.
  return lists.some((listed) => listed.size === 0 || listed.has(id))
}
