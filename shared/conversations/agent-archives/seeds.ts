import { encodeTime } from 'ulid'
import { sha256Hex } from '#shared/platform/crypto.ts'

const timeLength = 10
const placeLength = 6
const seedLength = 26

/**
 * Returns deterministic seeds for an agent's imported messages: ULIDs with the messages' times, in order also for equal
 * times, and unique to the agent.
 * @param times epoch milliseconds
 */
export async function seedsOf(agentId: string, times: readonly number[]): Promise<string[]> {
  // Hexadecimal digits are valid ULID digits.
  const digits = await sha256Hex(agentId)
  const own = digits.slice(0, seedLength - timeLength - placeLength).toUpperCase()
  return times.map((time, i) => {
    const place = i.toString(16).toUpperCase().padStart(placeLength, '0')
    return encodeTime(time, timeLength) + place + own
  })
}
