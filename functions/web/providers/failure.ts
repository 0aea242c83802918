import {
  type ProviderName,
  type SignInFailure,
  SignInFailed,
} from '#shared/accounts/providers/provider.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Log } from '#shared/platform/log.ts'

const prefixes = { idp: 'Idp', codehost: 'Codehost' } as const satisfies Record<
  ProviderName,
  string
>

interface Failed {
  failure: SignInFailure
  webUrl: string
  /** The page that the login page opens after the sign-in. */
  next: string | undefined
  cookies?: readonly string[]
}

/** Redirects the browser to the login page, which explains `error`. */
export function redirectWithError(
  provider: ProviderName,
  { failure, webUrl, next, cookies = [] }: Failed,
): Response {
  const query = new URLSearchParams({ error: `${prefixes[provider]}${failure}` })
  if (next !== undefined) query.set('next', next)
  return redirect(`${webUrl}/login?${query}`, cookies)
}

/**
 * Returns where a sign-in leads. The sign-in page checks `next`: it opens only paths that it knows. So no link to a
 * sign-in can leave this origin or make the platform do something.
 */
export function arrival(webUrl: string, next: string | undefined): string {
  return next === undefined
    ? `${webUrl}/dashboard`
    : `${webUrl}/login?${new URLSearchParams({ next })}`
}

/** Returns the failure in the terms of the login page. Logs unexpected errors. */
export function failureOf(error: unknown, provider: ProviderName, log: Log): SignInFailure {
  const failure = error instanceof SignInFailed ? error.failure : unnamed(error)
  const cause = error instanceof SignInFailed ? error.cause : error
  log[failure === 'AuthError' ? 'error' : 'info']('provider sign-in failed', {
    provider,
    failure,
    ...(cause !== undefined && { error: cause }),
  })
  return failure
}

function unnamed(error: unknown): SignInFailure {
  const isTooMany = error instanceof PlatformError && error.kind === 'too-many-requests'
  return isTooMany ? 'TooMany' : 'AuthError'
}

export function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 302, headers })
}
