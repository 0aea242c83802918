import { shownAddress } from './addresses.ts'
import { fitting } from './fitting.ts'
import { readPage } from './read.ts'
import type { PageSummary } from './schema.ts'
import type { PageSource } from './source.ts'

export interface HasPages {
  pages: PageSource
}

/**
 * Returns the summary of a page.
 * @throws PlatformError as `readPage`
 */
export async function summarizePage(
  { pages }: HasPages,
  { url }: { url: string },
): Promise<PageSummary> {
  const { title, description, headings, paragraphs, wordCount } = await readPage(pages, url)
  const fetchedAt = new Date().toISOString()
  return fitting({
    url: shownAddress(url),
    title,
    description,
    headings,
    paragraphs,
    wordCount,
    fetchedAt,
  })
}
