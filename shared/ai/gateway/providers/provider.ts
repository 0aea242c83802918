import * as z from 'zod'
import { type ModelFamily, modelFamilies } from '#shared/manifest/model-families.ts'
import { modelSetsOf, type ModelSets, type ModelSettings } from '#shared/money/plans/model-sets.ts'
import type { Settings } from '#shared/platform/config/settings.ts'
import { once } from '#shared/platform/once.ts'
import type { Price } from '../price.ts'
import { type Preset, presets } from './presets.ts'

/** The values of `limitField` in AI_PROVIDERS: the field that the host reads as the limit of an answer. */
const limitFields = ['max_tokens', 'max_completion_tokens', 'both'] as const

export type LimitField = Exclude<(typeof limitFields)[number], 'both'>

/** An endpoint of model APIs. */
export interface Provider extends Pick<Preset, 'names' | 'list'> {
  name: string
  /** The URL without `/chat/completions`, `/messages` and the paths of the other families. */
  baseUrl: string
  apiKey: string | undefined
  /** The request field that limits the answer; absent if not configured. */
  limitField?: (typeof limitFields)[number] | undefined
  /** The families of APIs that it serves. */
  speaks: readonly ModelFamily[]
  /** The provider's own name of each model that it shares with the routing provider, by the routing provider's id. */
  models?: ReadonlyMap<string, string> | undefined
  /** The operator's prices of its models, by the provider's id. */
  prices?: ReadonlyMap<string, Price> | undefined
}

/** The target of calls of a model: the provider, and the provider's id of the model. */
export interface Route {
  /** The platform's id of the model. */
  id: string
  provider: Provider
  /** The provider's id of the model. */
  model: string
  /** Set if the user's own key is used. */
  own?: {
    /** The provider whose list has the price. A user's own key is only used for their calls. */
    listedBy: Provider | undefined
  }
}

/** The settings of the providers: contract.md 1. */
export type ProviderSettings = Pick<
  Settings,
  'AI_API_KEY' | 'AI_BASE_URL' | 'AI_PROVIDERS' | 'AI_SPEAKS' | 'STAND_IN_PROVIDER_URL'
> &
  ModelSettings

export interface Providers {
  all: readonly Provider[]
  /** The models of plans, tasks and the demo. */
  sets: ModelSets
  /** The routing provider. It serves every id that does not begin with another provider's name. */
  router: Provider | undefined
  /** The local stand-in, if no real provider is configured. */
  standIn: Provider | undefined
  /** Returns the first route of an id. Undefined if no provider can serve it. */
  route(id: string): Route | undefined
  /** Returns all routes of an id, in the order to try. */
  routes(id: string): Route[]
  /** Returns the platform's ids of a provider's model. */
  idsOf(provider: Provider, model: string): string[]
}

const reserved = ['router', 'local']

/** The families of a provider that does not list them: contract.md 15. */
export const usualFamilies: readonly ModelFamily[] = ['chat', 'embeddings']

const furtherForm = once(() =>
  z.record(
    z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9_-]{0,39}$/,
        'a name must consist of lower-case letters, digits, - and _',
      )
      .refine((name) => !reserved.includes(name), `${reserved.join(' and ')} are reserved`),
    z.object({
      baseUrl: z.url({ protocol: /^https?$/ }).optional(),
      apiKey: z.string().min(1).optional(),
      limitField: z.enum(limitFields).optional(),
      speaks: z.array(z.enum(modelFamilies)).min(1).optional(),
      models: z
        .record(z.string().min(1).max(200), z.string().min(1).max(200))
        .transform((models) => new Map(Object.entries(models)))
        .optional(),
      prices: z.record(z.string(), priceForm()).optional(),
    }),
  ),
)

/** The form of a price in AI_PROVIDERS: USD per million tokens, per call and per unit. */
const priceForm = once(() => {
  const usd = z.number().min(0).max(1_000_000)
  return z.strictObject({
    input: usd.default(0),
    output: usd.default(0),
    cacheRead: usd.exactOptional(),
    cacheWrite: usd.exactOptional(),
    cacheWrite1h: usd.exactOptional(),
    request: usd.exactOptional(),
    units: z
      .record(z.string().regex(/^(?:image|second|character|search)(?: \S+)*$/), usd)
      .exactOptional(),
  })
})

/** @throws Error that names AI_PROVIDERS if it is invalid, without its value */
export function createProviders(settings: ProviderSettings): Providers {
  const router: Provider | undefined = settings.AI_BASE_URL
    ? {
        name: 'router',
        baseUrl: settings.AI_BASE_URL,
        apiKey: settings.AI_API_KEY,
        speaks: settings.AI_SPEAKS ?? presetAt(settings.AI_BASE_URL)?.speaks ?? usualFamilies,
      }
    : undefined
  const standIn: Provider | undefined = settings.STAND_IN_PROVIDER_URL
    ? {
        name: 'local',
        baseUrl: settings.STAND_IN_PROVIDER_URL,
        apiKey: undefined,
        speaks: usualFamilies,
      }
    : undefined
  const named = new Map(furtherProviders(settings.AI_PROVIDERS).map((each) => [each.name, each]))
  if (standIn) named.set(standIn.name, standIn)
  const routes = (id: string): Route[] => {
    const slash = id.indexOf('/')
    const vendor = slash > 0 ? named.get(id.slice(0, slash)) : undefined
    const sharing = [...named.values()].filter(({ models }) => models?.has(id))
    const ofRouter = vendor === undefined || sharing.length > 0
    const providers = new Set([vendor, ofRouter ? router : undefined, ...sharing])
    return [...providers].flatMap((provider) => {
      if (provider === undefined) return []
      const ownName = provider === vendor ? ownNameOf(provider, id.slice(slash + 1)) : id
      return [{ id, provider, model: provider.models?.get(id) ?? ownName }]
    })
  }
  return {
    all: [...(router ? [router] : []), ...named.values()],
    router,
    standIn,
    sets: modelSetsOf(settings),
    route: (id) => routes(id)[0],
    routes,
    idsOf: (provider, model) => [
      provider === router ? model : `${provider.name}/${provider.names?.platform(model) ?? model}`,
      ...[...(provider.models ?? [])].filter(([, name]) => name === model).map(([id]) => id),
    ],
  }
}

/**
 * Parses the providers in AI_PROVIDERS.
 * @throws Error that names the setting if it is invalid, without its value
 */
export function furtherProviders(text: string | undefined): Provider[] {
  if (text === undefined) return []
  const parsed = furtherForm().safeParse(parseJson(text))
  if (!parsed.success)
    throw new Error(`the configuration is wrong: AI_PROVIDERS: ${z.prettifyError(parsed.error)}`)
  return Object.entries(parsed.data).map(([name, entry]) => {
    const preset = presets[name]
    const baseUrl = (entry.baseUrl ?? preset?.baseUrl)?.replace(/\/+$/, '')
    if (baseUrl === undefined)
      throw new Error(`the configuration is wrong: AI_PROVIDERS: ${name} needs a baseUrl`)
    const known = baseUrl === preset?.baseUrl ? preset : presetAt(baseUrl)
    const { apiKey, limitField, models, speaks = known?.speaks ?? usualFamilies } = entry
    const prices = entry.prices && new Map<string, Price>(Object.entries(entry.prices))
    const { names, list } = known ?? {}
    return { name, baseUrl, apiKey, limitField, speaks, names, list, models, prices }
  })
}

/** Returns the provider's own name of a model whose id begins with the provider's name. */
export function ownNameOf({ names }: Provider, model: string): string {
  return names?.own(model) ?? model
}

function presetAt(baseUrl: string) {
  return Object.values(presets).find((preset) => preset.baseUrl === baseUrl)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('the configuration is wrong: AI_PROVIDERS is not JSON')
  }
}
