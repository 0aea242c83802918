import type * as z from 'zod'
import { probe } from '#shared/ai/gateway/health/probe.ts'
import type { Catalogue } from '#shared/ai/gateway/models/catalogue.ts'
import type { Provider, Providers } from '#shared/ai/gateway/providers/provider.ts'
import { isoOf } from '#shared/platform/times.ts'
import type { providerList } from './schema.ts'

interface Sources {
  providers: Providers
  catalogue: Catalogue
}

/**
 * Returns the model providers without their keys: whether each responds with its configured key, and the models of the
 * platform's sets that it does not list.
 */
export async function answeringProviders(
  { providers: { all, standIn, sets, route }, catalogue }: Sources,
  now: () => number = Date.now,
): Promise<z.input<typeof providerList>> {
  const named = [...new Set([...sets.all, ...sets.demo])]
  const unlistedAt = async (provider: Provider) => {
    const listed = await catalogue.list(provider)
    const served = named.filter((id) => route(id)?.provider === provider)
    return listed.size === 0 ? [] : served.filter((id) => !listed.has(id))
  }
  const checkedAt = isoOf(now())
  return {
    providers: await Promise.all(
      all.map(async (provider) => ({
        name: provider.name,
        host: new URL(provider.baseUrl).host,
        healthy: await probe(provider),
        standIn: provider === standIn,
        unlistedModels: await unlistedAt(provider),
        checkedAt,
      })),
    ),
  }
}
