import { redact } from '../../platform/log.ts'

/** Longer explanations are cut. */
const longest = 500

/** Keys that providers quote, also when they are cut or starred out in the middle. */
const quotedKey = /\b(?:sk|pk|rk|ak)[-_][\w*.-]{6,}/gi

/** A provider's words as its user may see them: one line, bounded, without anything that looks like a key. */
export function shown(words: string, secret: string): string {
  const plain = words
    .replaceAll(secret, '[redacted]')
    .replace(quotedKey, '[redacted]')
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .toWellFormed()
    .trim()
  const text = String(redact(plain))
  return text.length > longest ? `${text.slice(0, longest - 1).toWellFormed()}…` : text
}

/** What an answer says of an error, in the forms that there are: `{error: {message}}`, `{error: text}`, `{message}`. */
export function wordsIn(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return undefined
  const { error, message, code } = answer as Record<string, unknown>
  for (const word of [error, message, code])
    if (typeof word === 'string' && word.trim() !== '') return word
  return wordsIn(error)
}
