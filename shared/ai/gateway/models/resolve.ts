import { pricedModels } from '../cost.ts'
import { withDots, withoutDate } from '../providers/presets.ts'
import type { Providers } from '../providers/provider.ts'
import type { Catalogue } from './catalogue.ts'

interface Sources {
  providers: Providers
  catalogue: Catalogue
}

/**
 * Returns the platform's id for a vendor's own name of a model, such as `claude-sonnet-4-5-20250929` for
 * `anthropic/claude-sonnet-4.5`: first by the same spelling, then without the date and with dots in the version.
 * @returns the name itself if it contains a vendor, or no id has it
 */
export async function resolveModel(
  { providers, catalogue }: Sources,
  name: string,
): Promise<string> {
  if (name.includes('/')) return name
  const lists = await Promise.all(providers.all.map((provider) => catalogue.list(provider)))
  const known = [providers.sets.all, pricedModels, ...lists]
  if (known.some((ids) => ids.has(name))) return name
  for (const spelling of [name, withDots(name), withoutDate(name)])
    for (const ids of known)
      for (const id of ids.keys()) if (id.slice(id.indexOf('/') + 1) === spelling) return id
  return name
}

/** Returns the platform's ids for the models of an API key. */
export async function resolveAll(
  sources: Sources,
  models: readonly string[] | undefined,
): Promise<string[] | undefined> {
  return models && Promise.all(models.map((name) => resolveModel(sources, name)))
}
