import { parse, serialize } from 'hono/utils/cookie'
import { pendingSeconds } from '#shared/accounts/providers/pending.ts'
import type { ProviderName } from '#shared/accounts/providers/provider.ts'

/** Returns the Set-Cookie header of the state that the browser must bring back from a provider. */
export function setPending(provider: ProviderName, sealed: string, webUrl: string): string {
  return write(provider, sealed, pendingSeconds, webUrl)
}

/** Returns the Set-Cookie header that deletes the state, which is valid for one response. */
export function clearPending(provider: ProviderName, webUrl: string): string {
  return write(provider, '', 0, webUrl)
}

/** Returns the sealed state in the request's cookie, if any. */
export function readPending(
  request: Request,
  provider: ProviderName,
  webUrl: string,
): string | undefined {
  const name = nameOf(provider, webUrl)
  return parse(request.headers.get('cookie') ?? '', name)[name]
}

function isPlain(webUrl: string): boolean {
  return new URL(webUrl).protocol === 'http:'
}

/** With TLS, uses the `__Host-` prefix, so that no sibling host can set the cookie: RFC 6265bis, section 4.1.3.2. */
function nameOf(provider: ProviderName, webUrl: string): string {
  return `${isPlain(webUrl) ? '' : '__Host-'}service-sign-in-${provider}`
}

function write(provider: ProviderName, value: string, maxAge: number, webUrl: string): string {
  return serialize(nameOf(provider, webUrl), value, {
    httpOnly: true,
    // The redirect from the provider is a cross-site navigation, and browsers do not send Strict cookies with it.
    sameSite: 'Lax',
    path: '/',
    maxAge,
    secure: !isPlain(webUrl),
  })
}
