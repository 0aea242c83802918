import { PlatformError } from './platform.ts'

/** What `/login?error=` means: contract.md 2. */
const signInFaults: Readonly<Record<string, string>> = {
  VerifyFailed: 'That link to verify your email is no longer good. Sign in to be sent another one.',
  IdpNotConfigured: 'Signing in by the identity provider is not set up here.',
  IdpAuthFailed: 'The identity provider did not sign you in. Try again, or use your password.',
  IdpTokenFailed: 'The identity provider could not be reached for a moment. Try again.',
  IdpNoEmail: 'The identity provider gave no verified email address, so no account could be found.',
  IdpAuthError: 'Something went wrong while the identity provider signed you in. Try again.',
  IdpDisabled:
    'The identity provider has switched off sign-in for your account. Use your password.',
  CodehostNotConfigured: 'Signing in by the code host is not set up here.',
  CodehostAuthFailed: 'The code host did not sign you in. Try again, or use your password.',
  CodehostTokenFailed: 'The code host could not be reached for a moment. Try again.',
  CodehostNoEmail: 'The code host gave no verified email address, so no account could be found.',
  CodehostAuthError: 'Something went wrong while the code host signed you in. Try again.',
}

/** The sentence for a code of the sign-in page. */
export function signInFault(code: string): string {
  return signInFaults[code] ?? 'Signing in did not work. Try again, or use your password.'
}

const refusals: Readonly<Record<string, string>> = {
  SUBSCRIPTION_REQUIRED: 'This takes an active plan. Choose one under Plan and billing.',
  PLAN_REQUIRED: 'This takes a plan. Choose one under Plan and billing.',
  AGENT_NOT_RUNNING: 'The agent is not running. Start it, then try again.',
  STOPPED_BY_OPERATOR: 'An operator stopped this agent. Only an operator can start it again.',
  PROVISIONING_DISABLED: 'Changes to agents are switched off at the moment. Try again later.',
  BOT_DETECTED: 'This looked like a program to us. Try again in an ordinary browser window.',
}

/** Something that a person filled in wrongly, which the platform need not be asked about. */
export class Wrong extends Error {
  override readonly name = 'Wrong'
}

/** An error in words that say what to do. */
export function words(error: unknown): string {
  if (error instanceof Wrong) return error.message
  if (!(error instanceof PlatformError)) return 'Something went wrong here. Reload the page.'
  const known = error.code === undefined ? undefined : refusals[error.code]
  if (known !== undefined) return known
  const text = sentence(error.message)
  if (error.status !== 429 || error.retryAfter === undefined) return text
  return `${text} Try again in ${duration(error.retryAfter)}.`
}

function sentence(text: string): string {
  const trimmed = text.trim()
  const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1)
  return /[.!?]$/.test(begun) ? begun : `${begun}.`
}

/** Seconds as a person says them, never shorter than they are. */
export function duration(seconds: number): string {
  if (seconds < 60) return plural(Math.ceil(seconds), 'second')
  if (seconds < 3600) return plural(Math.ceil(seconds / 60), 'minute')
  return plural(Math.ceil(seconds / 3600), 'hour')
}

export function plural(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const satisfies [Intl.RelativeTimeFormatUnit, number][]

/** How long ago a time is. */
export function ago(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) return format.format(Math.round(seconds / length), unit)
  return 'just now'
}
