import { failed } from './fetch.ts'
import { maxAnswerBytes } from './limits.ts'

/** In JSON within JSON no character takes more bytes than this for each of the ones that it has in JSON. */
const mostEscaped = 3

/**
 * An answer that can be sent. It is looked at before anything is paid: a page of 5 MB may say more than that in JSON.
 * @throws PlatformError 500 for one that is too long, as for a page that is
 */
export function fitting<Answer extends object>(answer: Answer): Answer {
  const text = JSON.stringify(answer)
  if (text.length * mostEscaped <= maxAnswerBytes) return answer
  // Lambda carries it as a text within JSON.
  const { length } = new TextEncoder().encode(JSON.stringify(text))
  if (length > maxAnswerBytes)
    throw failed(`What the page says takes more than ${maxAnswerBytes} bytes`)
  return answer
}
