import { isObject } from '../../answers/form.ts'
import type { Units } from '../../usage.ts'
import { noTokens } from '../passed-on.ts'

interface TranscriptionUsage {
  /** The tokens. Undefined if the provider counts neither tokens nor seconds. */
  usage?: Record<string, unknown>
  units?: Units
}

/** A day. A provider that counts more is wrong, and a file that states more. */
const maxSeconds = 86_400

/**
 * Returns the usage of an answer: tokens, seconds in `usage` (OpenAI), or the `duration` of verbose JSON.
 */
export function readTranscriptionUsage(body: Record<string, unknown>): TranscriptionUsage {
  const usage = isObject(body.usage) ? body.usage : {}
  if (usage.type === 'tokens' || usage.input_tokens !== undefined) return { usage }
  const seconds = [usage.seconds, body.duration].map(Number).find(isDuration)
  return seconds === undefined
    ? {}
    : { usage: { ...usage, ...noTokens }, units: { second: seconds } }
}

export function isDuration(value: number | undefined): value is number {
  return value !== undefined && value >= 0 && value <= maxSeconds
}

/** Returns the end of the last subtitle in seconds; undefined for a text without subtitles. */
export function lastSecond(text: string): number | undefined {
  const ends = [...text.matchAll(/--> (?:(\d+):)?(\d\d):(\d\d)[.,](\d{3})/g)].at(-1)
  if (ends === undefined) return undefined
  const [hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = ends
    .slice(1)
    .map((part) => Number(part ?? 0))
  return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
}
