import * as z from 'zod'
import { runInBackground } from '#carrier'
import { createLog } from '#shared/platform/log.ts'
import { once } from '#shared/platform/once.ts'
import type { Price } from '../price.ts'
import { UpstreamFailure } from '../providers/failure.ts'
import { call, json } from '../providers/http.ts'
import type { Provider, Providers } from '../providers/provider.ts'

/** A model as its provider lists it. */
export interface ListedModel {
  id: string
  provider: string
  /** Epoch seconds; null if the provider does not report it. */
  created: number | null
  price: Price | null
}

/** The cached lists of the providers' models. */
export interface Catalogue<Model extends ListedModel = ListedModel> {
  /**
   * A provider's models by id; empty until the provider answers for the first time, and for a provider that only users
   * have keys for. All callers share a list, so it is never requested with a user's key.
   */
  list(provider: Provider): Promise<ReadonlyMap<string, Model>>
}

const cacheMs = 600_000
const failureCacheMs = 30_000
const totalMs = 5000
const maxBytes = 16 * 1_048_576

const entry = once(() => {
  // OpenRouter's format: USD per token as a decimal string; -1 if it varies.
  const perToken = z
    .union([z.number(), z.string().regex(/\d/)])
    .transform(Number)
    // A price above one dollar per token is an error.
    .pipe(z.number().min(0).max(1))
  return z.object({
    id: z.string().min(1).max(200),
    created: z.number().nullish().catch(null),
    pricing: z
      .object({
        prompt: perToken,
        completion: perToken,
        input_cache_read: perToken.optional().catch(undefined),
        input_cache_write: perToken.optional().catch(undefined),
        input_cache_write_1h: perToken.optional().catch(undefined),
        // USD per call. A call whose price cannot be read has no known price.
        request: perToken.nullish(),
      })
      .nullish()
      .catch(null),
  })
})

const listing = once(() => z.object({ data: z.array(z.unknown()) }))

export function createCatalogue(providers: Providers, now?: () => number): Catalogue {
  return catalogueOf(providers, (listed) => listed, now)
}

/** @param describe reads more fields of a model's entry */
export function catalogueOf<Model extends ListedModel>(
  providers: Providers,
  describe: (listed: ListedModel, raw: unknown) => Model,
  now: () => number = Date.now,
): Catalogue<Model> {
  type Models = ReadonlyMap<string, Model>
  const cache = new Map<string, { until: number; models: Promise<Models> }>()
  return {
    async list({ name }) {
      const provider = providers.all.find((each) => each.name === name)
      if (provider === undefined) return new Map()
      const known = cache.get(provider.name)
      if (known !== undefined && known.until > now()) return known.models
      const loading = ask(provider, providers, describe).catch((error: unknown) => {
        if (!(error instanceof UpstreamFailure)) throw error
        slot.until = now() + failureCacheMs
        return known?.models ?? new Map<string, Model>()
      })
      // A caller does not wait for the refresh of an existing list.
      const slot = { until: now() + cacheMs, models: known?.models ?? loading }
      const renew = () => void (slot.models = loading)
      runInBackground(loading.then(renew, renew))
      cache.set(provider.name, slot)
      return slot.models
    },
  }
}

async function ask<Model extends ListedModel>(
  provider: Provider,
  providers: Providers,
  describe: (listed: ListedModel, raw: unknown) => Model,
): Promise<ReadonlyMap<string, Model>> {
  const answer = await call(provider, {
    path: '/models',
    ...provider.list,
    timeouts: { totalMs },
    maxBytes,
  })
  const body = listing().safeParse(await json(answer))
  if (answer.status !== 200 || !body.success)
    throw new UpstreamFailure('the provider does not list its models', answer.status)
  const models = new Map<string, Model>()
  for (const raw of body.data.data) {
    const parsed = entry().safeParse(raw)
    if (!parsed.success) continue
    const { created, pricing } = parsed.data
    const price = pricing ? priceFrom(pricing) : null
    for (const id of providers.idsOf(provider, parsed.data.id)) {
      const listed = { id, provider: provider.name, created: created ?? null, price }
      models.set(id, describe(listed, raw))
    }
  }
  if (models.size > 0) reportUnlisted(provider, providers, models)
  return models
}

interface Pricing {
  prompt: number
  completion: number
  input_cache_read?: number | undefined
  input_cache_write?: number | undefined
  input_cache_write_1h?: number | undefined
  request?: number | null | undefined
}

function priceFrom(pricing: Pricing): Price {
  const { input_cache_read, input_cache_write, input_cache_write_1h, request } = pricing
  return {
    input: perMillion(pricing.prompt),
    output: perMillion(pricing.completion),
    // 0 in a list without a cache price.
    ...(input_cache_read && { cacheRead: perMillion(input_cache_read) }),
    ...(input_cache_write && { cacheWrite: perMillion(input_cache_write) }),
    ...(input_cache_write_1h && { cacheWrite1h: perMillion(input_cache_write_1h) }),
    ...(request && { request }),
  }
}

/** Operators must replace a retired model in a set. An alarm watches this metric. */
function reportUnlisted(
  provider: Provider,
  { sets, route }: Providers,
  listed: ReadonlyMap<string, unknown>,
): void {
  const named = [...new Set([...sets.all, ...sets.demo])]
  const unlisted = named.filter((id) => route(id)?.provider === provider && !listed.has(id))
  if (unlisted.length === 0) return
  createLog({ catalogue: 'models' }).warn(
    'models of a set are not listed by their provider',
    { provider: provider.name, models: unlisted },
    { by: [['catalogue']], of: { UnlistedModels: [unlisted.length, 'Count'] } },
  )
}

/** Removes the error of binary fractions. */
function perMillion(perOne: number): number {
  return Number((perOne * 1_000_000).toFixed(9))
}
