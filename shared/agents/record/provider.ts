/** spec.md, Agents. */
export const defaultModel = 'claude-opus-4-6'

/** The provider that routes to all others: contract.md 5. */
const defaultProvider = 'router'

/**
 * Returns the provider of an agent: anthropic for the default model, else the config's: spec.md, Provisioning rules 1.
 */
export function providerOf(model: string | undefined, config: { aiProvider?: unknown }): string {
  if (model === defaultModel) return 'anthropic'
  return typeof config.aiProvider === 'string' ? config.aiProvider : defaultProvider
}
