import { PlatformError } from '../../platform/errors.ts'
import type { Providers, Route } from '../providers/provider.ts'
import type { Catalogue } from './catalogue.ts'
import { modelsFor } from './choose.ts'
import { type TaskType, tierOf } from './tiers.ts'

/**
 * The model that a call for this kind of task would begin with: of the task's models the first that its provider
 * lists, or the very first while the provider cannot be asked.
 * @throws PlatformError 404 where there is none
 */
export async function selectModel(
  { providers, catalogue }: { providers: Providers; catalogue: Catalogue },
  { taskType }: { taskType: TaskType },
): Promise<Route> {
  for (const id of modelsFor(providers, tierOf(taskType))) {
    const route = providers.route(id)
    const listed = route && (await catalogue.list(route.provider))
    if (route !== undefined && (listed?.size === 0 || listed?.has(id))) return route
  }
  throw new PlatformError('not-found', 'No models available')
}
