import {
  knownBrowserSeconds,
  type ShownBrowser,
  signBrowser,
} from '#shared/accounts/users/known-browser.ts'
import { cookieValues } from '#shared/http/guards/session-cookie.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { writeCookie } from './cookie.ts'

/** The cookie of a browser that has signed in before. */
const browserCookie = 'service-browser'

interface Shown {
  request: Request
  /** WALLET_ENCRYPTION_KEY. Without it, no browser is known. */
  encryptionKey: string | undefined
}

/** Returns the browser cookies of a request, or undefined without the key. */
export function browserOf({ request, encryptionKey }: Shown): ShownBrowser | undefined {
  if (encryptionKey === undefined) return undefined
  return { cookies: cookieValues(request, browserCookie), encryptionKey }
}

/** Returns the Set-Cookie values that mark a browser as known after a sign-in. Empty without the key. */
export async function rememberBrowser(
  ctx: Shown & { table: Table; webUrl: string },
  userId: string,
): Promise<string[]> {
  const shown = browserOf(ctx)
  const value = shown && (await signBrowser(ctx.table, shown, userId))
  if (value === undefined) return []
  return [writeCookie(browserCookie, value, { maxAge: knownBrowserSeconds, webUrl: ctx.webUrl })]
}
