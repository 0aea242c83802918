import { html } from 'hono/html'
import { subdomainOf } from '../../../shared/agent-access/host.ts'
import type { GateContext } from '../../../shared/agent-access/context.ts'
import { PlatformError } from '../../../shared/platform/errors.ts'
import { plainPage, wantsPage } from '../../common/plain-page.ts'

/**
 * What a browser that nothing lets in is shown: a page that leads to the console, which knows the agent by its host. It is
 * the same for every host, whether an agent answers there or not.
 * @param host the Host header of what was asked for
 * @throws the error itself to programs, and where it is another one
 */
export async function refusal(
  { config: { AGENTS_DOMAIN, WEB_URL } }: GateContext,
  request: Request,
  { host, error }: { host: string; error: unknown },
): Promise<Response> {
  const isProgram = request.headers.has('authorization')
  const isShut = error instanceof PlatformError && error.kind === 'unauthorized'
  const subdomain = subdomainOf(host, AGENTS_DOMAIN)
  if (!wantsPage(request) || isProgram || !isShut || subdomain === undefined) throw error
  const words = html`<p>
      Only its owner is let in here, and this browser has shown nothing that says so, or what it had
      is over.
    </p>
    <p><a href="${WEB_URL}/agents?at=${subdomain}">Sign in and open it</a></p>`
  return plainPage(401, 'Open this agent from the console', words)
}
