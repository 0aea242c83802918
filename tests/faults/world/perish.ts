import type { Random } from './random.ts'

/** A process that was killed in the middle of its work. */
export class Killed extends Error {
  override readonly name = 'Killed'
}

/** More calls than any work here makes, so that some of the doomed get away. */
const mostCalls = 12

/** Calls under way. Those that a process had made beside its last one arrive after its end, some tried again and late. */
export interface Calls {
  open: number
}

/**
 * The life of one process: all that it reaches the world by is wrapped, and where it is doomed, one of its calls is
 * its last, carried out or not.
 */
export function lifeOf(random: Random, doomed: boolean, calls: Calls = { open: 0 }) {
  let left = doomed ? random.below(mostCalls) : Infinity
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
