import { furtherModels } from '../cost.ts'
import type { Providers } from '../providers/provider.ts'
import type { Catalogue, ListedModel } from './catalogue.ts'
import { allowedModels, type ModelAccess } from './choose.ts'
import { filterListed } from './filter-listed.ts'
import { resolveAll } from './resolve.ts'

export interface ModelSummary {
  id: string
  /** Epoch seconds. 0 if unknown: typed clients of OpenAI's API refuse null. */
  created: number
  ownedBy: string
}

/** Lists the models that callers can request by name. */
export async function listModels(
  { providers, catalogue }: { providers: Providers; catalogue: Catalogue },
  { plan, models: names }: ModelAccess,
): Promise<ModelSummary[]> {
  const lists = await Promise.all(providers.all.map((provider) => catalogue.list(provider)))
  const listed = new Map<string, ListedModel>()
  for (const list of lists) for (const [id, model] of list) listed.set(id, model)
  const known = providers.router === undefined ? [] : [...providers.sets.all]
  const everything = [...new Set([...known, ...listed.keys()])].sort()
  const models = await resolveAll({ providers, catalogue }, names)
  const ids = await filterListed(
    { providers, catalogue },
    allowedModels(providers, { plan, models }) ?? everything,
  )
  // The stand-in answers for every chat model, but serves no other family.
  const served = ids.filter((id) => !furtherModels.has(id) || providers.route(id) !== undefined)
  return served.map((id) => ({
    id,
    created: Math.trunc(listed.get(id)?.created ?? 0),
    ownedBy: id.slice(0, Math.max(0, id.indexOf('/'))) || 'unknown',
  }))
}
