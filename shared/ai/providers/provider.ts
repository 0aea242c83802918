import * as z from 'zod'
import { modelSetsOf, type ModelSets, type ModelSettings } from '../../plans/model-sets.ts'
import type { Settings } from '../../platform/config/settings.ts'
import { once } from '../../platform/once.ts'

/** The values of `limitField` in AI_PROVIDERS: the field that the host reads as the limit of an answer. */
const limitFields = ['max_tokens', 'max_completion_tokens', 'both'] as const

export type LimitField = Exclude<(typeof limitFields)[number], 'both'>

/** An OpenAI-compatible endpoint. */
export interface Provider {
  name: string
  /** Ends before `/chat/completions`. */
  baseUrl: string
  apiKey: string | undefined
  /** The field that it reads as the limit of an answer; absent if not configured. */
  limitField?: (typeof limitFields)[number] | undefined
}

/** Where a model's id leads. */
export interface Route {
  /** The id by which the platform knows the model. */
  id: string
  provider: Provider
  /** The id by which the provider knows it. */
  model: string
  /** Set where the provider is asked with a key of the user's own. */
  own?: {
    /** Whose list tells the price: a user's own key is for their calls alone. */
    listedBy: Provider | undefined
  }
}

/** The settings that providers are made of: contract.md 1. */
export type ProviderSettings = Pick<
  Settings,
  'AI_API_KEY' | 'AI_BASE_URL' | 'AI_PROVIDERS' | 'STAND_IN_PROVIDER_URL'
> &
  ModelSettings

export interface Providers {
  all: readonly Provider[]
  /** The models that plans, tasks and the demo name. */
  sets: ModelSets
  /** The routing provider, which serves every id that no other's name begins. */
  router: Provider | undefined
  /** One machine's stand-in, where no real provider is configured. */
  standIn: Provider | undefined
  /** Where an id leads first; undefined where no provider could serve it. */
  route(id: string): Route | undefined
  /** Everywhere an id leads, in the order to try. */
  routes(id: string): Route[]
  /** The id by which the platform knows a provider's model. */
  idOf(provider: Provider, model: string): string
}

const reserved = ['router', 'local']

const furtherForm = once(() =>
  z.record(
    z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'a name is lower-case letters, digits, - and _')
      .refine((name) => !reserved.includes(name), `${reserved.join(' and ')} are taken`),
    z.object({
      baseUrl: z.url({ protocol: /^https?$/ }),
      apiKey: z.string().min(1).optional(),
      limitField: z.enum(limitFields).optional(),
    }),
  ),
)

/** @throws Error that names AI_PROVIDERS where it is wrong, never its value */
export function createProviders(settings: ProviderSettings): Providers {
  const router = settings.AI_BASE_URL && {
    name: 'router',
    baseUrl: settings.AI_BASE_URL,
    apiKey: settings.AI_API_KEY,
  }
  const standIn = settings.STAND_IN_PROVIDER_URL && {
    name: 'local',
    baseUrl: settings.STAND_IN_PROVIDER_URL,
    apiKey: undefined,
  }
  const named = new Map(furtherProviders(settings.AI_PROVIDERS).map((each) => [each.name, each]))
  if (standIn) named.set(standIn.name, standIn)
  const route = (id: string): Route | undefined => {
    const slash = id.indexOf('/')
    const provider = slash > 0 ? named.get(id.slice(0, slash)) : undefined
    if (provider !== undefined) return { id, provider, model: id.slice(slash + 1) }
    return router ? { id, provider: router, model: id } : undefined
  }
  return {
    all: [...(router ? [router] : []), ...named.values()],
    router: router || undefined,
    standIn: standIn || undefined,
    sets: modelSetsOf(settings),
    route,
    routes: (id) => [route(id)].filter((found) => found !== undefined),
    idOf: (provider, model) => (provider === router ? model : `${provider.name}/${model}`),
  }
}

/** The providers that AI_PROVIDERS names. @throws Error that names it where it is wrong, never its value */
export function furtherProviders(text: string | undefined): Provider[] {
  if (text === undefined) return []
  const parsed = furtherForm().safeParse(parseJson(text))
  if (!parsed.success)
    throw new Error(`the configuration is wrong: AI_PROVIDERS: ${z.prettifyError(parsed.error)}`)
  return Object.entries(parsed.data).map(([name, { baseUrl, apiKey, limitField }]) => ({
    name,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    apiKey,
    limitField,
  }))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('the configuration is wrong: AI_PROVIDERS is not JSON')
  }
}
