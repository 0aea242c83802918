import { redact } from '#shared/platform/log.ts'

/** Longer texts are truncated. */
const longest = 500

/** API keys in providers' texts, also truncated or masked ones. */
const quotedKey = /\b(?:sk|pk|rk|ak)[-_][\w*.-]{6,}/gi

/** Returns a provider's text for the user: one line of limited length, without anything that resembles a key. */
export function publicText(words: string, secret: string): string {
  const plain = words
    .replaceAll(secret, '[redacted]')
    .replace(quotedKey, '[redacted]')
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .toWellFormed()
    .trim()
  const text = String(redact(plain))
  return text.length > longest ? `${text.slice(0, longest - 1).toWellFormed()}…` : text
}

/**
 * Returns the error text of a response, in one of the known formats: `{error: {message}}`, `{error: text}`,
 * `{message}`.
 */
export function wordsIn(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined
  const { error, message, code } = answer as Record<string, unknown>
  for (const word of [error, message, code])
    if (typeof word === 'string' && word.trim() !== '') return word
  return wordsIn(error)
}
