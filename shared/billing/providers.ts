import { ownKeyVendors } from '../ai/providers/own-keys.ts'
import { createProviders, type ProviderSettings } from '../ai/providers/provider.ts'

/** The model providers that a user may bring a key for, with those that AI_PROVIDERS names. */
export function ownKeyProviders({ AI_PROVIDERS }: ProviderSettings): string[] {
  const configured = createProviders({ AI_PROVIDERS }).all.map(({ name }) => name)
  return [...new Set([...ownKeyVendors, ...configured])]
}
