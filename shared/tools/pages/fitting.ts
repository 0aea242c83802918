import { pageFailed } from './fetch.ts'
import { maxAnswerBytes } from './limits.ts'

/** The maximum number of bytes that JSON inside JSON needs per character of the inner JSON. */
const maxEscaped = 3

/**
 * Checks that a response can be sent, before anything is paid: a page of 5 MB may be larger than that in JSON.
 * @throws PlatformError 500 if it is too long, as for a page that is too long
 */
export function fitting<Answer extends object>(answer: Answer): Answer {
  const text = JSON.stringify(answer)
  if (text.length * maxEscaped <= maxAnswerBytes) return answer
  // Lambda sends it as a string in JSON.
  const { length } = new TextEncoder().encode(JSON.stringify(text))
  if (length > maxAnswerBytes)
    throw pageFailed(`The page’s content has more than ${maxAnswerBytes} bytes`)
  return answer
}
