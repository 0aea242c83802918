import { ownKeyVendors } from '../ai/providers/own-keys.ts'
import { furtherProviders } from '../ai/providers/provider.ts'
import type { Settings } from '../platform/config/settings.ts'

/** The model providers that a user may bring a key for, with those that AI_PROVIDERS names. */
export function ownKeyProviders({ AI_PROVIDERS }: Pick<Settings, 'AI_PROVIDERS'>): string[] {
  const further = furtherProviders(AI_PROVIDERS).map(({ name }) => name)
  return [...new Set([...ownKeyVendors, ...further])]
}
