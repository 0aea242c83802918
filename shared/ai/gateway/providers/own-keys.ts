import type { Log } from '#shared/platform/log.ts'
import { sealer } from '#shared/platform/seal.ts'
import { presets } from './presets.ts'
import { ownNameOf, type Provider, type Providers, type Route } from './provider.ts'

/**
 * The providers of users' own keys: contract.md 9. The addresses are the presets', and the address in
 * AI_PROVIDERS for the name. Users cannot set an address.
 */
export const ownKeyVendors = Object.keys(presets)

/** Serves every id that the routing provider serves. */
const routing = 'openrouter'

/** Returns the encryption context of a user's key for a provider. */
export function ownKeyPlace(userId: string, provider: string): string {
  return `byok#${userId}#${provider}`
}

interface OwnKeys {
  userId: string
  /** Encrypted, by provider name. */
  byok: Readonly<Record<string, string>>
}

/** Returns the providers for one user's calls: for each id, the user's own key is tried first, then the platform's. */
export async function withOwnKeys(
  context: { providers: Providers; encryptionKey?: string | undefined; log: Log },
  { userId, byok }: OwnKeys,
): Promise<Providers> {
  const { providers, encryptionKey, log } = context
  const names = Object.keys(byok).sort((a, b) => Number(a === routing) - Number(b === routing))
  if (names.length === 0) return providers
  const seals = encryptionKey === undefined ? undefined : sealer(encryptionKey)
  const own: Provider[] = []
  for (const name of names) {
    const configured = providers.all.find((provider) => provider.name === name)
    const known = configured ?? presets[name]
    const apiKey = await seals?.open(byok[name] ?? '', ownKeyPlace(userId, name))
    if (known !== undefined && apiKey !== undefined) own.push({ ...known, name, apiKey })
    else log.warn('the user’s own key cannot be used', { userId, provider: name })
  }
  const routes = (id: string) => [
    ...own.flatMap((provider) => ownRoute(providers, provider, id)),
    ...providers.routes(id),
  ]
  return {
    ...providers,
    all: [...own, ...providers.all],
    router: providers.router ?? own.find(({ name }) => name === routing),
    route: (id) => routes(id)[0],
    routes,
  }
}

function ownRoute(providers: Providers, provider: Provider, id: string): Route[] {
  const platform = providers.routes(id)
  const same = platform.find((route) => route.provider.name === provider.name)
  const own = { listedBy: (same ?? platform[0])?.provider }
  if (same !== undefined) return [{ id, provider, model: same.model, own }]
  // Only the provider itself serves an id that begins with its name, unless the routing provider has the id too.
  const isNamed = platform.some((route) => id.startsWith(`${route.provider.name}/`))
  if (isNamed && !platform.some((route) => route.provider === providers.router)) return []
  if (provider.name === routing) return [{ id, provider, model: id, own }]
  const prefix = `${provider.name}/`
  if (!id.startsWith(prefix)) return []
  return [{ id, provider, model: ownNameOf(provider, id.slice(prefix.length)), own }]
}
