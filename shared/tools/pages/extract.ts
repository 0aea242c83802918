import { shownAddress } from './addresses.ts'
import { fitting } from './fitting.ts'
import { readPage } from './read.ts'
import type { PageExtraction } from './schema.ts'
import type { HasPages } from './summarize.ts'

/**
 * Returns the links, images and metadata of a page.
 * @throws PlatformError as `readPage`
 */
export async function extractPage(
  { pages }: HasPages,
  { url }: { url: string },
): Promise<PageExtraction> {
  const { links, images, meta } = await readPage(pages, url)
  const fetchedAt = new Date().toISOString()
  return fitting({ url: shownAddress(url), links, images, meta, fetchedAt })
}
