import { PlatformError } from '../../platform/errors.ts'
import { costAt, listPrice, priceOf } from '../cost.ts'
import type { Providers } from '../providers/provider.ts'
import type { Catalogue } from './catalogue.ts'
import { standInModel } from './choose.ts'
import type { CostQuestion } from './schema.ts'

/**
 * What a call of that many tokens would cost in USD. Null for a model that is known while its price is not: 0 would
 * be a promise, and a 404 would deny a model that can be called.
 * @throws PlatformError 404 MODEL_NOT_FOUND for a model that neither a provider nor the platform itself lists
 */
export async function estimateCost(
  { providers, catalogue }: { providers: Providers; catalogue: Catalogue },
  { model, ...tokens }: CostQuestion,
): Promise<number | null> {
  const route = providers.route(model)
  const listed = route && (await catalogue.list(route.provider)).has(model)
  if (route === undefined || !(listed === true || isNamed(providers, model)))
    throw new PlatformError('not-found', `No provider lists the model ${model}`, {
      code: 'MODEL_NOT_FOUND',
    })
  const price = await priceOf(catalogue, route)
  return price === undefined ? null : costAt(price, tokens)
}

/** Whether the platform names the model by itself; the stand-in's is there only where the stand-in lists it. */
function isNamed({ sets }: Providers, model: string): boolean {
  return sets.all.has(model) || (listPrice(model) !== undefined && model !== standInModel)
}
