import { html } from 'hono/html'
import { plainPage, wantsPage } from '#functions/common/plain-page.ts'
import type { GateContext } from '#shared/agents/agent-access/context.ts'
import { subdomainOf } from '#shared/agents/agent-access/host.ts'
import { PlatformError } from '#shared/platform/errors.ts'

/** Returns whether a request was refused before its caller was known. */
export function isUnidentified(error: unknown): boolean {
  const kinds = ['bad-request', 'not-found', 'unauthorized']
  return error instanceof PlatformError && kinds.includes(error.kind)
}

/**
 * Returns the page for a browser without access. It links to the console, which finds the agent by its host. The page
 * is the same for every host, with or without an agent.
 * @param host the Host header of the request
 * @throws the error itself for programs, and if it is another error
 */
export async function refusal(
  { config: { AGENTS_DOMAIN }, webUrl }: Pick<GateContext, 'config' | 'webUrl'>,
  request: Request,
  { host, error }: { host: string; error: unknown },
): Promise<Response> {
  const isProgram = request.headers.has('authorization')
  const isShut = error instanceof PlatformError && error.kind === 'unauthorized'
  const subdomain = subdomainOf(host, AGENTS_DOMAIN)
  if (!wantsPage(request) || isProgram || !isShut || subdomain === undefined) throw error
  const words = html`<p>
      Only the owner can access this agent. This browser has no valid access, or it has expired.
    </p>
    <p><a href="${webUrl}/agents?at=${subdomain}">Sign in and open it</a></p>`
  return plainPage(401, 'Open this agent from the console', words)
}
