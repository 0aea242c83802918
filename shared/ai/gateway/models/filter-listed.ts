import type { Providers } from '../providers/provider.ts'
import type { Catalogue } from './catalogue.ts'

interface Sources {
  providers: Providers
  catalogue: Catalogue
}

/**
 * Returns the ids that their provider still lists. The ids of a provider that cannot be reached stay.
 */
export async function filterListed(sources: Sources, ids: readonly string[]): Promise<string[]> {
  const unlisted = new Set(await unlistedOf(sources, ids))
  return ids.filter((id) => !unlisted.has(id))
}

/** Returns the ids that are missing in their provider's list. */
async function unlistedOf(
  { providers, catalogue }: Sources,
  ids: Iterable<string>,
): Promise<string[]> {
  const found = await Promise.all(
    [...ids].map(async (id) => {
      const route = providers.route(id)
      const list = route && (await catalogue.list(route.provider))
      return list !== undefined && list.size > 0 && !list.has(id) ? [id] : []
    }),
  )
  return found.flat()
}
