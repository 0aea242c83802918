import { compare, hash } from 'bcryptjs'
import type { ApiKey } from '../users/api-key.ts'

export interface KeyHashes {
  /** Returns the hash of a new raw key. */
  hash(secret: string): Promise<string>
  /** Returns whether a raw key matches a stored key. */
  matches(secret: string, key: ApiKey): Promise<boolean>
}

/**
 * Compares keys with their bcrypt hashes, once per key and process: 50 ms of CPU is too much for every request.
 * Equal digests mean equal keys, so the first result holds for all requests.
 * @param options.capacity the number of cached results; the least recently used is dropped first
 * @param options.cost bcrypt's cost of new hashes (contract.md 3)
 */
export function keyHashes({ capacity = 10_000, cost = 10 } = {}): KeyHashes {
  const answers = new Map<string, Promise<boolean>>()
  return {
    // A raw key has 67 bytes; bcrypt reads at most 72.
    hash: (secret) => hash(secret, cost),
    matches(secret, { digest, hash: stored }) {
      const answer = answers.get(digest) ?? compare(secret, stored)
      // A Map keeps the order of insertion: a reinserted entry is the newest.
      answers.delete(digest)
      answers.set(digest, answer)
      const [oldest = ''] = answers.keys()
      if (answers.size > capacity) answers.delete(oldest)
      return answer
    },
  }
}
