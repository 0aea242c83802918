import { PlatformError } from '#shared/platform/errors.ts'
import { type CachedTokens, costAt, listPrice, priceOf, pricesTokens } from '../cost.ts'
import type { Providers } from '../providers/provider.ts'
import type { Catalogue } from './catalogue.ts'
import { standInModel } from './choose.ts'
import type { CostQuestion } from './schema.ts'

interface Estimated extends CostQuestion, CachedTokens {
  /** True for the tokens of many calls. The lengths of their prompts are unknown, so all of them count as short. */
  isSum?: boolean
}

/**
 * Returns the cost of a call with this many tokens, in USD. Cached tokens are parts of the input tokens. Null for an
 * available model without a known price: 0 would be wrong, and a 404 would mean that the model does not exist.
 * @throws PlatformError 404 MODEL_NOT_FOUND for a model that neither a provider nor the platform lists
 */
export async function estimateCost(
  { providers, catalogue }: { providers: Providers; catalogue: Catalogue },
  { model, isSum = false, ...tokens }: Estimated,
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
  return costAt(isSum ? short : price, tokens)
}

/**
 * Returns whether the platform's settings name the model. The stand-in's model only exists if the stand-in lists it.
 */
function isNamed({ sets }: Providers, model: string): boolean {
  return sets.all.has(model) || (listPrice(model) !== undefined && model !== standInModel)
}
