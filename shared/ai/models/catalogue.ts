import * as z from 'zod'
import { call, json } from '../providers/http.ts'
import type { Provider, Providers } from '../providers/provider.ts'
import { UpstreamFailure } from '../providers/failure.ts'

/** USD per million tokens. */
export interface Price {
  input: number
  output: number
}

/** A model as its provider lists it. */
export interface ListedModel {
  id: string
  provider: string
  /** Epoch seconds; null where the provider does not say. */
  created: number | null
  price: Price | null
}

/** The lists of the providers' models, each kept for a while. */
export interface Catalogue {
  /** A provider's models by id; empty while the provider does not answer. */
  list(provider: Provider): Promise<ReadonlyMap<string, ListedModel>>
}

const keptMs = 600_000
const failureKeptMs = 30_000
const timeoutMs = 5000
const maxBytes = 16 * 1_048_576

// The routing provider's form: USD per token, as decimal text; -1 where it depends.
const perToken = z.coerce.number().min(0)

const entry = z.object({
  id: z.string().min(1).max(200),
  created: z.number().nullish().catch(null),
  pricing: z.object({ prompt: perToken, completion: perToken }).nullish().catch(null),
})

const listing = z.object({ data: z.array(z.unknown()) })

export function createCatalogue(providers: Providers, now: () => number = Date.now): Catalogue {
  const kept = new Map<
    string,
    { until: number; models: Promise<ReadonlyMap<string, ListedModel>> }
  >()
  return {
    list(provider) {
      const known = kept.get(provider.name)
      if (known !== undefined && known.until > now()) return known.models
      const slot = {
        until: now() + keptMs,
        models: Promise.resolve(new Map()) as Promise<ReadonlyMap<string, ListedModel>>,
      }
      slot.models = ask(provider, providers).catch((error: unknown) => {
        if (!(error instanceof UpstreamFailure)) throw error
        slot.until = now() + failureKeptMs
        return new Map<string, ListedModel>()
      })
      kept.set(provider.name, slot)
      return slot.models
    },
  }
}

async function ask(
  provider: Provider,
  providers: Providers,
): Promise<ReadonlyMap<string, ListedModel>> {
  const answer = await call(provider, {
    path: '/models',
    timeoutMs,
    bounds: 'the whole',
    maxBytes,
    signal: new AbortController().signal,
  })
  const body = listing.safeParse(await json(answer))
  if (answer.status !== 200 || !body.success)
    throw new UpstreamFailure('the provider does not list its models', answer.status)
  const models = new Map<string, ListedModel>()
  for (const raw of body.data.data) {
    const parsed = entry.safeParse(raw)
    if (!parsed.success) continue
    const { created, pricing } = parsed.data
    const id = providers.idOf(provider, parsed.data.id)
    const price = pricing && {
      input: pricing.prompt * 1_000_000,
      output: pricing.completion * 1_000_000,
    }
    models.set(id, { id, provider: provider.name, created: created ?? null, price: price ?? null })
  }
  return models
}
