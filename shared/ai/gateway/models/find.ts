import type { Providers } from '../providers/provider.ts'
import type { Catalogue } from './catalogue.ts'
import { type ModelAccess, requireAllowed, unlisted } from './choose.ts'
import { listModels, type ModelSummary } from './list.ts'
import { resolveAll, resolveModel } from './resolve.ts'

/**
 * Returns a model that callers can request by name: the platform's id, or the vendor's own name.
 * @throws PlatformError 403 MODEL_RESTRICTED, 404 MODEL_NOT_FOUND
 */
export async function findModel(
  context: { providers: Providers; catalogue: Catalogue },
  { plan, models, id: name }: ModelAccess & { id: string },
): Promise<ModelSummary> {
  const id = await resolveModel(context, name)
  const access = { plan, models: await resolveAll(context, models) }
  requireAllowed(context.providers, access, id)
  const listed = await listModels(context, access)
  const found = listed.find((model) => model.id === id)
  if (found === undefined) throw unlisted(id)
  return found
}
