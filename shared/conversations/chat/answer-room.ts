import type { ChatMessage } from './schema.ts'

/** Below the limit of 6 MB for a Lambda response, which contains the body as a JSON string. */
const maxBytes = 5_500_000

/**
 * Returns a function that adds a message to a response's size and reports whether it fits. One message always fits: a
 * row of the table has at most 400 KB.
 */
export function answerRoom(): (message: ChatMessage) => boolean {
  let bytes = 0
  return (message) => {
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(message)))
    return bytes <= maxBytes
  }
}
