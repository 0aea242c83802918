import { html } from 'hono/html'
import { PlatformError } from '../../../shared/platform/errors.ts'
import { plainPage, wantsPage } from '../../common/plain-page.ts'

/**
 * A refusal as a page, where a browser asks for one. It leads nowhere, and has no word of the program's own in it.
 * @throws the error itself where no page is asked for, or it is no refusal
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
