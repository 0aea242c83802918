import { PlatformError } from '#shared/platform/errors.ts'
import { type CachedTokens, costAt, listPrice, priceOf, pricesTokens } from '../cost.ts'
import type { Providers } from '../providers/provider.ts'
import type { Catalogue } from './catalogue.ts'
import { standInModel } from './choose.ts'
import type { CostQuestion } from './schema.ts'

interface Estimated extends CostQuestion, CachedTokens {
  /**
   * The number of calls, for the sum of their tokens. The lengths of their prompts are unknown, so all of them count as
   * short. Absent for the tokens of one call.
   */
  calls?: number
}

/**
 * Returns the cost of a call with this many tokens, in USD. Cached tokens are parts of the input tokens. Null for an
 * available model without a known price: 0 would be wrong, and a 404 would mean that the model does not exist.
 * @throws PlatformError 404 MODEL_NOT_FOUND for a model that neither a provider nor the platform lists
 */
export async function estimateCost(
  { providers, catalogue }: { providers: Providers; catalogue: Catalogue },
  { model, calls, ...tokens }: Estimated,
): Promise<number | null> {
  const route = providers.route(model)
  const listed = route && (await catalogue.list(route.provider)).has(model)
  if (route === undefined || !(listed === true || isNamed(providers, model)))
    throw new PlatformError('not-found', `No provider lists the model ${model}`, {
      code: 'MODEL_NOT_FOUND',
    })
  const price = await priceOf(catalogue, route)
  if (price === undefined || !pricesTokens(price)) return null
  const { long: _, ...short } = price
  const { request = 0 } = price
  const cost = costAt(calls === undefined ? price : short, tokens) + request * (calls ?? 1)
  return Number(cost.toFixed(12))
}

/**
 * Returns whether the platform's settings name the model. The stand-in's model only exists if the stand-in lists it.
 */
function isNamed({ sets }: Providers, model: string): boolean {
  return sets.all.has(model) || (listPrice(model) !== undefined && model !== standInModel)
}
