import { html } from 'hono/html'
import { PlatformError } from '../../../shared/platform/errors.ts'
import { plainPage, wantsPage } from '../../common/plain-page.ts'

/**
 * Returns an error as a page if a browser asked for one. The page has no links and no text from the client.
 * @throws the error itself if no page was asked for or the error is unexpected
 */
export async function refusal(request: Request, error: unknown): Promise<Response> {
  const isRefusal = error instanceof PlatformError && error.kind === 'bad-request'
  if (!wantsPage(request) || !isRefusal) throw error
  const words = html`<p>
      It asked in a way that this site does not take: ${error.message} (${error.code}).
    </p>
    <p>Nothing was granted. You can close this page, and tell who made the program.</p>`
  return plainPage(400, 'The program was not let in', words)
}
