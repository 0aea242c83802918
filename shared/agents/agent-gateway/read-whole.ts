import { PlatformError } from '#shared/platform/errors.ts'
import { parseUpTo } from '#shared/platform/json.ts'

/** The maximum size of a buffered response; all memory notes of an agent are smaller. */
export const maxBufferedBytes = 8 * 1_048_576

/**
 * Reads a whole response.
 * @throws PlatformError 502 AGENT_FAILED if it is too long
 */
export async function readWhole(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBufferedBytes) throw tooLong()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** The maximum number of JSON values, which limits the memory use. The longest conversations have fewer. */
const maxValues = 200_000

/**
 * Parses an agent's JSON.
 * @throws SyntaxError if it is invalid or has too many values
 */
export function parseAnswer(text: string): unknown {
  return parseUpTo(text, maxValues)
}

export function tooLong(): PlatformError {
  return new PlatformError('bad-gateway', 'The agent’s answer is too long', {
    code: 'AGENT_FAILED',
  })
}
