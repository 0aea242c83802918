import { PlatformError } from '../../../shared/platform/errors.ts'
import type { Log } from '../../../shared/platform/log.ts'
import {
  type ProviderName,
  type SignInFailure,
  SignInFailed,
} from '../../../shared/providers/provider.ts'

const prefixes = { idp: 'Idp', codehost: 'Codehost' } as const satisfies Record<
  ProviderName,
  string
>

interface Failed {
  failure: SignInFailure
  webUrl: string
  /** Where the person wanted to be: the login page leads there once they are signed in. */
  next: string | undefined
  cookies?: readonly string[]
}

/** Sends the browser back to the login page, which says what `error` means. */
export function failed(
  provider: ProviderName,
  { failure, webUrl, next, cookies = [] }: Failed,
): Response {
  const query = new URLSearchParams({ error: `${prefixes[provider]}${failure}` })
  if (next !== undefined) query.set('next', next)
  return redirect(`${webUrl}/login?${query}`, cookies)
}

/**
 * Where a sign-in leads. What was asked for is left to the sign-in page, which lets who is signed in through to the paths
 * that it knows and to nothing else, so that no link to a sign-in leads off this origin or asks the platform to do something.
 */
export function arrival(webUrl: string, next: string | undefined): string {
  return next === undefined
    ? `${webUrl}/dashboard`
    : `${webUrl}/login?${new URLSearchParams({ next })}`
}

/** What went wrong, in the login page's words; unforeseen errors go to the log. */
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
