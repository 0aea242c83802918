import { compare } from 'bcryptjs'
import type { ApiKey } from '../accounts/api-key.ts'

export interface KeyHashes {
  /** Returns whether a raw key is the one that a stored key was made of. */
  matches(secret: string, key: ApiKey): Promise<boolean>
}

/**
 * Compares keys by their bcrypt hashes, each key once in the life of the process: 50 ms of CPU are too dear for every
 * request. Who has the digest has the key, so its first answer holds for all.
 * @param capacity keys that are remembered; whichever was used longest ago is forgotten first
 */
export function keyHashes(capacity = 10_000): KeyHashes {
  const answers = new Map<string, Promise<boolean>>()
  return {
    matches(secret, { digest, hash }) {
      const answer = answers.get(digest) ?? compare(secret, hash)
      // A Map keeps the order of insertion: what is put in again is the newest.
      answers.delete(digest)
      answers.set(digest, answer)
      const [oldest = ''] = answers.keys()
      if (answers.size > capacity) answers.delete(oldest)
      return answer
    },
  }
}
