import { killedProcess } from '#tests/support/platform/killed-process.ts'
import type { Random } from './random.ts'

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
  const { reach } = killedProcess({
    calls: doomed ? random.below(maxCalls) : Infinity,
    isLastCarriedOut: random.percent(50),
  })
  return <T extends object>(port: T): T => reach(counted(port, calls))
}

function counted<T extends object>(port: T, calls: Calls): T {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return async (...given: unknown[]): Promise<unknown> => {
        calls.open++
        try {
          return await Reflect.apply(method, target, given)
        } finally {
          calls.open--
        }
      }
    },
  })
}
