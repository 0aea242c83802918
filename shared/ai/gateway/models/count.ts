import type { Providers } from '../providers/provider.ts'
import type { ModelDescription } from './schema.ts'

/** Returns the number of models of each provider, by name. 0 for a provider without models. */
export function countByProvider(
  { all }: Providers,
  models: readonly ModelDescription[],
): Record<string, number> {
  const byProvider = Map.groupBy(models, ({ provider }) => provider)
  return Object.fromEntries(all.map(({ name }) => [name, byProvider.get(name)?.length ?? 0]))
}
