import { encodeTime } from 'ulid'
import { sha256Hex } from '../platform/crypto.ts'

const timeLength = 10
const placeLength = 6
const seedLength = 26

/**
 * The seeds of messages that are given to an agent: ULIDs with their times, in their order where times are the same, and
 * no other agent's. Asked again they are the same.
 * @param times epoch milliseconds
 */
export async function seedsOf(agentId: string, times: readonly number[]): Promise<string[]> {
  // A hexadecimal digit is one of a ULID as well.
  const digits = await sha256Hex(agentId)
  const own = digits.slice(0, seedLength - timeLength - placeLength).toUpperCase()
  return times.map((time, i) => {
    const place = i.toString(16).toUpperCase().padStart(placeLength, '0')
    return encodeTime(time, timeLength) + place + own
  })
}
