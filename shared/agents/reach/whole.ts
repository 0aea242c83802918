import { PlatformError } from '../../platform/errors.ts'

/** An answer that is held whole may not be longer: characters. More than all the memory of an agent. */
export const heldLimit = 8 * 1_048_576

/** The whole of an answer. @throws PlatformError 502 AGENT_FAILED where it is longer than any that is meant */
export async function readWhole(body: AsyncIterable<string>): Promise<string> {
  let whole = ''
  for await (const chunk of body) {
    whole += chunk
    if (whole.length > heldLimit) throw tooLong()
  }
  return whole
}

export function tooLong(): PlatformError {
  return new PlatformError('bad-gateway', 'The agent’s answer is too long', {
    code: 'AGENT_FAILED',
  })
}
