import { createContext, Script } from 'node:vm'
import { Readability } from '@mozilla/readability'
import { PlatformError } from '#shared/platform/errors.ts'
import { withoutLogin } from '../addresses.ts'
import { tookTooLong } from '../fetch.ts'
import { collapsed, WordCounter } from '../text.ts'
import { DocumentBuilder } from './document.ts'
import { type DomDocument, type DomElement, isElement, walk } from './dom.ts'
import { markdownOf } from './markdown.ts'
import { textOf } from './text.ts'

/** The metadata and the text of an article. */
export interface Article {
  title: string
  byline: string | null
  siteName: string | null
  /** The language tag from the page. */
  language: string | null
  markdown: string
  wordCount: number
}

/** The minimum number of characters outside of links of a page that does not mark an article. */
const minProse = 50
const longestLine = 1000
const longestAddress = 8192
const shownSchemes = /^(?:https?|mailto|tel):$/

/**
 * Reads the article of a page that arrives in pieces. linkedom builds the document, Readability finds the article, and
 * turndown writes the Markdown.
 * @param page `url`: the address of the page
 */
export function articleReader({ url, isXhtml }: { url: URL; isXhtml: boolean }) {
  const builder = new DocumentBuilder({ isXhtml })
  return {
    write: (text: string) => builder.write(text),
    /**
     * @param leftMs the time limit
     * @throws PlatformError 404 for a page without an article, 500 after the time limit
     */
    end(leftMs: number): Article {
      const { base } = builder.end()
      return within(leftMs, () => articleOf(builder.document, resolver(url, base)))
    },
  }
}

/** Runs a function with a time limit. The time of Readability depends on the page. */
function within<Result>(ms: number, work: () => Result): Result {
  const done: { result?: Result } = {}
  const context = createContext({ run: () => void (done.result = work()) })
  try {
    new Script('run()').runInContext(context, { timeout: Math.max(1, Math.ceil(ms)) })
  } catch (error) {
    // The error belongs to the other context, so `instanceof` does not work.
    const { code } = error as { code?: unknown }
    throw code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? tookTooLong() : error
  }
  return done.result as Result
}

function articleOf(
  document: DomDocument,
  resolve: (address: string) => string | undefined,
): Article {
  const declared = isDeclared(document)
  const language = languageOf(document)
  const heading = oneLine(document.querySelector('h1')?.textContent)
  const found = new Readability<unknown>(document as never, {
    keepClasses: true,
    serializer: (node) => node,
  }).parse()
  const content = found?.content as DomElement | undefined
  if (!found || content === undefined || !isArticle(content, declared))
    throw new PlatformError('not-found', 'The page has no article', { foreign: true })
  const words = new WordCounter()
  words.add(textOf(content))
  const siteName = oneLine(found.siteName)
  return {
    title: withoutSite(oneLine(found.title) ?? heading ?? '', siteName),
    byline: oneLine(found.byline),
    siteName,
    language,
    markdown: markdownOf(content, resolve),
    wordCount: words.count,
  }
}

/** Removes the name of the site, which Readability keeps after a short title. */
function withoutSite(title: string, site: string | null): string {
  if (site === null || !title.endsWith(site)) return title
  return /^(.*\S)\s+[|–—·»:-]\s+$/.exec(title.slice(0, -site.length))?.[1] ?? title
}

/** True if the page marks an article. */
function isDeclared(document: DomDocument): boolean {
  const marks = 'article, [itemprop="articleBody"], meta[property="og:type"][content="article"]'
  return document.querySelector(marks) !== null
}

/** Readability returns its best match, even if that is a list of links. */
function isArticle(content: DomElement, declared: boolean): boolean {
  const { prose, links } = lengthsOf(content)
  return prose > 0 && (declared || (prose >= minProse && prose >= links))
}

function lengthsOf(content: DomElement): { prose: number; links: number } {
  const found = { prose: 0, links: 0 }
  let inLinks = 0
  for (const { kind, node } of walk(content)) {
    if (kind === 'text')
      found[inLinks > 0 ? 'links' : 'prose'] += collapsed(node.textContent).length
    else if (isElement(node) && node.nodeName === 'A') inLinks += kind === 'begin' ? 1 : -1
  }
  return found
}

function languageOf(document: DomDocument): string | null {
  const own = document.documentElement.getAttribute('lang')?.trim() ?? ''
  const declared =
    document
      .querySelector('meta[http-equiv="content-language" i]')
      ?.getAttribute('content')
      ?.trim() ?? ''
  return [own, declared].find((tag) => /^[a-z]{2,8}(?:-[a-z0-9]{1,8}){0,7}$/i.test(tag)) ?? null
}

function oneLine(text: string | null | undefined): string | null {
  return collapsed(text ?? '').slice(0, longestLine) || null
}

/** Returns a function that resolves HTTP, HTTPS, mail and phone addresses to absolute URLs without a login. */
function resolver(page: URL, declaredBase: string | undefined) {
  const stated = declaredBase === undefined ? null : URL.parse(declaredBase, page.href)
  const base = stated !== null && /^https?:$/.test(stated.protocol) ? stated : page
  return (address: string): string | undefined => {
    if (address.trim() === '' || address.length > longestAddress) return undefined
    const url = URL.parse(address, base.href)
    if (url === null || !shownSchemes.test(url.protocol)) return undefined
    const { href } = withoutLogin(url)
    return href.length > longestAddress ? undefined : href
  }
}
