import { createProviders } from '../ai/providers/provider.ts'
import type { ProviderSettings } from '../ai/providers/provider.ts'

/** Those that everybody may bring a key for: contract.md 9. */
const vendors = ['openai', 'anthropic', 'openrouter']

/** The model providers that a user may bring a key for, with those that AI_PROVIDERS names. */
export function ownKeyProviders({ AI_PROVIDERS }: ProviderSettings): string[] {
  const configured = createProviders({ AI_PROVIDERS }).all.map(({ name }) => name)
  return [...new Set([...vendors, ...configured])]
}
