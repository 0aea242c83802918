import { ownKeyVendors } from '#shared/ai/gateway/providers/own-keys.ts'
import { furtherProviders } from '#shared/ai/gateway/providers/provider.ts'
import type { Settings } from '#shared/platform/config/settings.ts'

/** Returns the model providers that accept users' own keys, including the providers in AI_PROVIDERS. */
export function ownKeyProviders({ AI_PROVIDERS }: Pick<Settings, 'AI_PROVIDERS'>): string[] {
  const further = furtherProviders(AI_PROVIDERS).map(({ name }) => name)
  return [...new Set([...ownKeyVendors, ...further])]
}
