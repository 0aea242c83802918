import { shownAddress } from './addresses.ts'
import { fitting } from './fitting.ts'
import { readPageBy } from './read.ts'
import type { PageArticle } from './schema.ts'
import type { HasPages } from './summarize.ts'

/**
 * Returns the article of a page as Markdown, without the rest of the page.
 * @throws PlatformError as `readPage`, and 404 for a page without an article
 */
export async function readArticle(
  { pages }: HasPages,
  { url }: { url: string },
): Promise<PageArticle> {
  const { articleReader } = await import('#page-article')
  const article = await readPageBy(pages, url, articleReader)
  const fetchedAt = new Date().toISOString()
  return fitting({ url: shownAddress(url), ...article, fetchedAt })
}
