import { ConnectionError } from '../../clients/typescript/core/errors.ts'
import { now as platformNow } from './clock.ts'
import { PlatformError } from './platform.ts'

const refusals: Readonly<Record<string, string>> = {
  SUBSCRIPTION_REQUIRED: 'This requires an active plan. Choose one under Plan and billing.',
  PLAN_REQUIRED: 'This requires a plan. Choose one under Plan and billing.',
  AGENT_NOT_RUNNING: 'The agent is not running. Start it, then try again.',
  STOPPED_BY_OPERATOR: 'An operator stopped this agent. Only an operator can start it again.',
  PROVISIONING_DISABLED: 'Changes to agents are currently disabled. Try again later.',
  BOT_DETECTED: 'This request looked automated. Try again in a normal browser window.',
}

/** An invalid input that is found without a request. */
export class InputError extends Error {
  override readonly name = 'InputError'
}

/** Returns the message of an error, with what to do about it. */
export function words(error: unknown): string {
  if (error instanceof InputError) return error.message
  if (!(error instanceof PlatformError)) return 'Something went wrong. Reload the page.'
  if (error instanceof ConnectionError)
    return 'The platform cannot be reached. Check your connection and try again.'
  const advice = error.code === undefined ? undefined : refusals[error.code]
  if (advice !== undefined) return advice
  const { status = 0, code, details, requestId } = error
  // A proxy's error message does not help, and the platform's 5xx message reports only that it failed.
  if (status >= 500 && code === undefined && details['missing'] === undefined)
    return `The platform could not answer${requestText(requestId)}. Try again in a moment.`
  const text = sentence(messageOf(error))
  const after = Number(error.headers?.get('retry-after'))
  return error.status === 429 && after > 0 ? `${text} Try again in ${duration(after)}.` : text
}

/** Returns the platform's message. Adds the request id if only an operator can help. */
function messageOf({ message, status = 0, requestId }: PlatformError): string {
  return status < 500 ? message.replace(` (request ${requestId})`, '') : message
}

/** Returns the request id as text, for operators. */
function requestText(requestId: string | undefined): string {
  return requestId === undefined ? '' : ` (request ${requestId})`
}

function sentence(text: string): string {
  const trimmed = text.trim()
  const capitalized = trimmed.charAt(0).toUpperCase() + trimmed.slice(1)
  return /[.!?]$/.test(capitalized) ? capitalized : `${capitalized}.`
}

/** Formats seconds, rounded up. */
function duration(seconds: number): string {
  if (seconds < 60) return plural(Math.ceil(seconds), 'second')
  if (seconds < 3600) return plural(Math.ceil(seconds / 60), 'minute')
  return plural(Math.ceil(seconds / 3600), 'hour')
}

/** Formats a count with its noun: 1 agent, 2 agents. */
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

/** Formats a time as relative to now. */
export function ago(iso: string, now = platformNow()): string {
  const seconds = (Date.parse(iso) - now) / 1000
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) return format.format(Math.round(seconds / length), unit)
  return 'just now'
}
