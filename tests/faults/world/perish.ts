import type { Random } from './random.ts'

/** The error of a process that was killed during its work. */
export class Killed extends Error {
  override readonly name = 'Killed'
}

/** More calls than any work makes here, so that some doomed processes survive. */
const maxCalls = 12

/**
 * The calls in progress. Calls that a dying process had in progress complete after its end, some of them late after
 * retries.
 */
export interface Calls {
  open: number
}

/**
 * Simulates the life of one process by wrapping every port that it uses. In a doomed process, one random call is its
 * last, which may or may not be carried out.
 */
export function lifeOf(random: Random, doomed: boolean, calls: Calls = { open: 0 }) {
  let left = doomed ? random.below(maxCalls) : Infinity
  const carriedOut = random.percent(50)
  return function reach<T extends object>(port: T): T {
    return new Proxy(port, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        return async (...given: unknown[]): Promise<unknown> => {
          const last = left === 0
          if (left < 0 || (last && !carriedOut)) {
            left = -1
            throw new Killed('before a call')
          }
          left--
          calls.open++
          try {
            const answer: unknown = await Reflect.apply(method, target, given)
            if (last) throw new Killed('after a call')
            return answer
          } finally {
            calls.open--
          }
        }
      },
    })
  }
}
