import type { ChatMessage } from './schema.ts'

/** A Lambda response has at most 6 MB, as JSON inside JSON. */
const maxBytes = 5_500_000

/**
 * Returns a function that adds a message to a response's size. One message always fits: a row of the table has at most
 * 400 KB.
 * @returns a function that reports whether the message fits
 */
export function answerRoom(): (message: ChatMessage) => boolean {
  let bytes = 0
  return (message) => {
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(message)))
    return bytes <= maxBytes
  }
}
