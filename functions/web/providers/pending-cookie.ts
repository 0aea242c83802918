import { parse, serialize } from 'hono/utils/cookie'
import { pendingSeconds } from '../../../shared/providers/pending.ts'
import type { ProviderName } from '../../../shared/providers/provider.ts'

/** Set-Cookie that lets the browser keep what it must bring back from a provider. */
export function setPending(provider: ProviderName, sealed: string, webUrl: string): string {
  return write(provider, sealed, pendingSeconds, webUrl)
}

/** Set-Cookie that takes it back: it is good for one answer. */
export function clearPending(provider: ProviderName, webUrl: string): string {
  return write(provider, '', 0, webUrl)
}

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

/** With TLS, a name that no neighbouring host can set in our place: RFC 6265bis, section 4.1.3.2. */
function nameOf(provider: ProviderName, webUrl: string): string {
  return `${isPlain(webUrl) ? '' : '__Host-'}service-sign-in-${provider}`
}

function write(provider: ProviderName, value: string, maxAge: number, webUrl: string): string {
  return serialize(nameOf(provider, webUrl), value, {
    httpOnly: true,
    // The provider's redirect is a navigation from its site, which Strict would leave without it.
    sameSite: 'Lax',
    path: '/',
    maxAge,
    secure: !isPlain(webUrl),
  })
}
