import { PlatformError } from '#shared/platform/errors.ts'
import type { Providers, Route } from '../providers/provider.ts'
import type { Catalogue } from './catalogue.ts'
import { modelsFor } from './choose.ts'
import { type TaskType, tierOf } from './tiers.ts'

/**
 * Returns the model that a call for this kind of task would try first: the task's first model that its provider lists,
 * or the first one if the list is unavailable.
 * @throws PlatformError 404 without a model
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
