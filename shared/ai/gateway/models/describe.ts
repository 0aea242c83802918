import { nameOf } from '#shared/money/plans/model-sets.ts'
import { notConfigured, notFound } from '#shared/platform/errors.ts'
import { listPrice, pricesTokens } from '../cost.ts'
import type { Providers, Route } from '../providers/provider.ts'
import type { Catalogue } from './catalogue.ts'
import type { DescribedModel } from './describe-catalogue.ts'
import { filterListed } from './filter-listed.ts'
import type { ModelDescription } from './schema.ts'
import { taskTypes, tierOf } from './tiers.ts'

export interface ModelSources {
  providers: Providers
  catalogue: Catalogue<DescribedModel>
}

/**
 * Returns all models by id: the models that providers list, and the models of plans and tasks whose provider cannot be
 * reached.
 * @throws PlatformError 503 without any provider
 */
export async function describeModels(sources: ModelSources): Promise<ModelDescription[]> {
  const { providers, catalogue } = sources
  if (providers.all.length === 0) throw notConfigured('AI', ['AI_BASE_URL', 'AI_API_KEY'])
  const lists = new Map(
    await Promise.all(
      providers.all.map(async (provider) => [provider, await catalogue.list(provider)] as const),
    ),
  )
  const ids = new Set(await filterListed(sources, [...providers.sets.all]))
  for (const list of lists.values()) for (const id of list.keys()) ids.add(id)
  const routes = [...ids].map((id) => providers.route(id)).filter((route) => route !== undefined)
  return (
    routes
      // Two providers can list the same id. The list of the provider that serves the id is used.
      .map((route) => describe(providers, route, lists.get(route.provider)?.get(route.id)))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  )
}

/** Returns the models that providers list. All models if no provider lists any, because they are still tried. */
export async function availableModels(sources: ModelSources): Promise<ModelDescription[]> {
  const models = await describeModels(sources)
  const listed = models.filter(({ available }) => available)
  return listed.length > 0 ? listed : models
}

/**
 * Returns the models of one provider.
 * @throws PlatformError 404 for a provider that is not configured
 */
export async function describeProvider(
  sources: ModelSources,
  { provider: name }: { provider: string },
): Promise<ModelDescription[]> {
  if (!sources.providers.all.some((provider) => provider.name === name)) throw notFound('Provider')
  const models = await describeModels(sources)
  return models.filter(({ provider }) => provider === name)
}

function describe(
  { sets }: Providers,
  { id, provider }: Route,
  listed: DescribedModel | undefined,
): ModelDescription {
  const known = listed?.price ?? listPrice(id)
  const price = known && pricesTokens(known) ? known : undefined
  return {
    id,
    name: listed?.name ?? nameOf(id),
    provider: provider.name,
    description: listed?.description ?? null,
    tags: [
      ...taskTypes.filter((task) => task !== 'general' && sets.tasks[tierOf(task)].includes(id)),
      ...(listed?.vision === true ? ['vision'] : []),
      ...(listed?.tools === true ? ['tools'] : []),
    ],
    inputCost: price?.input ?? null,
    outputCost: price?.output ?? null,
    contextWindow: listed?.contextWindow ?? null,
    available: listed !== undefined,
  }
}
