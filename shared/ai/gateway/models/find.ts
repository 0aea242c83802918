import type { Plan } from '#shared/money/plans/plans.ts'
import type { Providers } from '../providers/provider.ts'
import type { Catalogue } from './catalogue.ts'
import { requireInPlan, unlisted } from './choose.ts'
import { listModels, type ModelSummary } from './list.ts'

/**
 * Returns a model that a plan's callers can request by name.
 * @throws PlatformError 403 MODEL_RESTRICTED, 404 MODEL_NOT_FOUND
 */
export async function findModel(
  context: { providers: Providers; catalogue: Catalogue },
  { plan, id }: { plan: Plan; id: string },
): Promise<ModelSummary> {
  requireInPlan(context.providers, plan, id)
  const models = await listModels(context, { plan })
  const found = models.find((model) => model.id === id)
  if (found === undefined) throw unlisted(id)
  return found
}
