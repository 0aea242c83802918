import { html } from 'hono/html'
import { plainPage, wantsPage } from '#functions/common/plain-page.ts'
import { PlatformError } from '#shared/platform/errors.ts'

/**
 * Returns an error as a page if a browser asked for one. The page has no links and no text from the client.
 * @throws the error itself if no page was asked for or the error is unexpected
 */
export async function refusal(request: Request, error: unknown): Promise<Response> {
  const isRefusal = error instanceof PlatformError && error.kind === 'bad-request'
  if (!wantsPage(request) || !isRefusal) throw error
  const words = html`<p>The authorization request is invalid: ${error.message} (${error.code}).</p>
    <p>No access was granted. You can close this page and contact the program’s developer.</p>`
  return plainPage(400, 'Access denied', words)
}
