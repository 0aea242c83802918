import type { ChatMessage } from './schema.ts'

/** Lambda takes 6 MB of an answer, as JSON within JSON. */
const mostBytes = 5_500_000

/**
 * Counts what an answer holds, message by message. One always has room: a row of the table has 400 KB.
 * @returns whether there was room for one more
 */
export function answerRoom(): (message: ChatMessage) => boolean {
  let bytes = 0
  return (message) => {
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(message)))
    return bytes <= mostBytes
  }
}
