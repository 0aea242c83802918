import { compare } from 'bcryptjs'
import type { ApiKey } from '../users/api-key.ts'

export interface KeyHashes {
  /** Returns whether a raw key matches a stored key. */
  matches(secret: string, key: ApiKey): Promise<boolean>
}

/**
 * Compares keys with their bcrypt hashes, once per key and process: 50 ms of CPU is too much for every request.
 * Equal digests mean equal keys, so the first result holds for all requests.
 * @param capacity the number of cached results; the least recently used is dropped first
 */
export function keyHashes(capacity = 10_000): KeyHashes {
  const answers = new Map<string, Promise<boolean>>()
  return {
    matches(secret, { digest, hash }) {
      const answer = answers.get(digest) ?? compare(secret, hash)
      // A Map keeps the order of insertion: a reinserted entry is the newest.
      answers.delete(digest)
      answers.set(digest, answer)
      const [oldest = ''] = answers.keys()
      if (answers.size > capacity) answers.delete(oldest)
      return answer
    },
  }
}
