import type { Providers } from '../providers/provider.ts'
import type { ModelDescription } from './schema.ts'

/** How many of the models each provider serves, by its name; 0 for one that serves none. */
export function countByProvider(
  { all }: Providers,
  models: readonly ModelDescription[],
): Record<string, number> {
  const byProvider = Map.groupBy(models, ({ provider }) => provider)
  return Object.fromEntries(all.map(({ name }) => [name, byProvider.get(name)?.length ?? 0]))
}
