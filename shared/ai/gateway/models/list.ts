import type { Plan } from '#shared/money/plans/plans.ts'
import type { Providers } from '../providers/provider.ts'
import type { Catalogue, ListedModel } from './catalogue.ts'
import { allowedModels } from './choose.ts'
import { filterListed } from './filter-listed.ts'

export interface ModelSummary {
  id: string
  /** Epoch seconds. 0 if unknown: typed clients of OpenAI's API refuse null. */
  created: number
  ownedBy: string
}

/** Lists the models that a plan's callers can request by name. */
export async function listModels(
  { providers, catalogue }: { providers: Providers; catalogue: Catalogue },
  { plan }: { plan: Plan },
): Promise<ModelSummary[]> {
  const lists = await Promise.all(providers.all.map((provider) => catalogue.list(provider)))
  const listed = new Map<string, ListedModel>()
  for (const list of lists) for (const [id, model] of list) listed.set(id, model)
  const known = providers.router === undefined ? [] : [...providers.sets.all]
  const everything = [...new Set([...known, ...listed.keys()])].sort()
  const ids = await filterListed(
    { providers, catalogue },
    allowedModels(providers, plan) ?? everything,
  )
  return ids.map((id) => ({
    id,
    created: Math.trunc(listed.get(id)?.created ?? 0),
    ownedBy: id.slice(0, Math.max(0, id.indexOf('/'))) || 'unknown',
  }))
}
