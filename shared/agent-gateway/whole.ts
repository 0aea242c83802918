import { PlatformError } from '../platform/errors.ts'
import { parseUpTo } from '../platform/json.ts'

/** An answer that is held whole may not be longer. More than all the memory of an agent. */
export const maxHeldBytes = 8 * 1_048_576

/** The whole of an answer. @throws PlatformError 502 AGENT_FAILED where it is longer than any that is meant */
export async function readWhole(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxHeldBytes) throw tooLong()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Each takes memory of a function that answers for others, too; the longest conversations have fewer. */
const mostValues = 200_000

/** What an agent says in JSON. @throws SyntaxError for what is none, or too much of it */
export function parseAnswer(text: string): unknown {
  return parseUpTo(text, mostValues)
}

export function tooLong(): PlatformError {
  return new PlatformError('bad-gateway', 'The agent’s answer is too long', {
    code: 'AGENT_FAILED',
  })
}
