import type { Providers } from '../providers/provider.ts'
import type { Catalogue } from './catalogue.ts'

interface Sources {
  providers: Providers
  catalogue: Catalogue
}

/**
 * The ids without those that their provider lists no more. While a provider cannot be asked, what it serves is not
 * known, and its ids stay.
 */
export async function listedOnly(sources: Sources, ids: readonly string[]): Promise<string[]> {
  const unlisted = new Set(await unlistedOf(sources, ids))
  return ids.filter((id) => !unlisted.has(id))
}

/** Those of the ids whose provider answers with a list that does not name them. */
export async function unlistedOf(
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
