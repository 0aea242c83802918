import { PlatformError } from '#shared/platform/errors.ts'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import { AddressRefused } from '#shared/platform/http-client/public-url.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import { withoutLogin } from './addresses.ts'
import { decoded } from './charset.ts'
import { maxPageBytes, maxRedirects, withinMs } from './limits.ts'
import type { PageAnswer, PageSource } from './source.ts'

/** A page after its headers have arrived. */
export interface FetchedPage {
  /** The page's address after redirects. */
  url: URL
  isXhtml: boolean
  /**
   * The page's text as it arrives.
   * @throws PlatformError
   */
  text: AsyncIterable<string>
  close(): void
}

/** spec.md, Web summarizer: Fetch rules. */
const headers = {
  'user-agent': 'WebSummarizer/1.0',
  accept: 'text/html, application/xhtml+xml',
}

/** The statuses with a redirect. 304 and others have no location. */
const redirects = new Set([301, 302, 303, 307, 308])

/**
 * Requests a page and follows its redirects.
 * @throws PlatformError 400 for an address that the guard rejects, also after a redirect; 500 for any other failure
 */
export async function fetchPage(
  source: PageSource,
  address: string,
  signal: AbortSignal,
): Promise<FetchedPage> {
  let url = urlOf(address)
  for (let hops = 0; ; hops++) {
    const answer = await source.ask(url, { headers, signal }).catch((error: unknown) => {
      throw fetchError(error)
    })
    const location = redirects.has(answer.status) ? answer.header('location') : undefined
    if (location === undefined) return pageOf(url, answer)
    answer.close()
    if (hops === maxRedirects)
      throw pageFailed(`The page redirects more than ${maxRedirects} times`)
    url = urlOf(location, url)
  }
}

function urlOf(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href)
  if (url === null) throw refused('the address must be an http or https URL')
  return withoutLogin(url)
}

function pageOf(url: URL, answer: PageAnswer): FetchedPage {
  const { status } = answer
  const type = answer.header('content-type') ?? ''
  const [essence = ''] = type.toLowerCase().split(';', 1)
  const isXhtml = essence.trim() === 'application/xhtml+xml'
  const isHtml = isXhtml || essence.trim() === 'text/html'
  if (!isSuccess(status) || !isHtml) {
    answer.close()
    if (!isSuccess(status)) throw pageFailed(`The page responded with ${status}`)
    throw pageFailed(
      `The page is not HTML: its content type is ${essence.slice(0, 100) || 'missing'}`,
    )
  }
  return { url, isXhtml, text: decoded(bounded(answer.body), type), close: answer.close }
}

/** Stops reading at the size limit. */
async function* bounded(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > maxPageBytes) throw pageFailed(`The page has more than ${maxPageBytes} bytes`)
      yield chunk
    }
  } catch (error) {
    throw fetchError(error)
  }
}

/**
 * Converts a failure to the caller's error; the cause is for the log. All connection failures look the same, so that
 * callers cannot probe the network.
 */
function fetchError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error
  if (error instanceof AddressRefused) return refused(error.message, error)
  if (error instanceof HttpFailure && error.kind !== 'too-large')
    return pageFailed('The page could not be fetched: no complete response arrived', error)
  const reason = error instanceof Error ? error.message : 'no answer'
  return pageFailed(`The page could not be fetched: ${reason}`, error)
}

function refused(reason: string, cause?: unknown): PlatformError {
  return new PlatformError('bad-request', `The page cannot be fetched: ${reason}`, { cause })
}

/** Returns a 500 error, as spec.md requires, although the page caused it. */
export function pageFailed(message: string, cause?: unknown): PlatformError {
  return new PlatformError('internal', message, { cause, foreign: true })
}

export function tookTooLong(): PlatformError {
  return pageFailed(`The page took longer than ${withinMs / 1000} s`)
}
