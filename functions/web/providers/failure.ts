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

/** Sends the browser back to the login page, which says what `error` means. */
export function failed(
  provider: ProviderName,
  failure: SignInFailure,
  webUrl: string,
  cookies: readonly string[] = [],
): Response {
  return redirect(`${webUrl}/login?error=${prefixes[provider]}${failure}`, cookies)
}

/** What went wrong, in the login page's words; unforeseen errors go to the log. */
export function failureOf(error: unknown, provider: ProviderName, log: Log): SignInFailure {
  const failure = error instanceof SignInFailed ? error.failure : 'AuthError'
  const cause = error instanceof SignInFailed ? error.cause : error
  log[failure === 'AuthError' ? 'error' : 'info']('provider sign-in failed', {
    provider,
    failure,
    ...(cause !== undefined && { error: cause }),
  })
  return failure
}

export function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 302, headers })
}
