import type * as z from 'zod'
import { probe } from '../ai/health/probe.ts'
import type { Providers } from '../ai/providers/provider.ts'
import type { providerList } from './schema.ts'

/** The model providers and whether each answers now with the key that it was given; never the key. */
export async function answeringProviders(
  { all, standIn }: Providers,
  now: () => number = Date.now,
): Promise<z.input<typeof providerList>> {
  const checkedAt = new Date(now()).toISOString()
  return {
    providers: await Promise.all(
      all.map(async (provider) => ({
        name: provider.name,
        host: new URL(provider.baseUrl).host,
        healthy: await probe(provider),
        standIn: provider === standIn,
        checkedAt,
      })),
    ),
  }
}
