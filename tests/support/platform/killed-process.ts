/** The error of a process that was killed during its work. */
export class Killed extends Error {
  override readonly name = 'Killed'
}

interface Death {
  /** The number of calls before the last one. */
  calls: number
  /** True if the last call is carried out, without a response to its caller. Default: false. */
  isLastCarriedOut?: boolean
  /** Returns true for a method whose calls count. The other methods work until the end. Default: all methods. */
  counts?: (method: string | symbol) => boolean
}

/** The methods of a table that write. */
export const writes = (method: string | symbol): boolean =>
  ['put', 'update', 'delete', 'transact'].includes(String(method))

/** Simulates a process that is killed during one of its calls. `reach` wraps each port that it uses: table, queues. */
export function killedProcess({ calls, isLastCarriedOut = false, counts = () => true }: Death) {
  let left = calls
  return {
    isKilled: () => left < 0,
    reach<T extends object>(port: T): T {
      return new Proxy(port, {
        get(target, name) {
          const method: unknown = Reflect.get(target, name)
          if (typeof method !== 'function') return method
          return async (...given: unknown[]): Promise<unknown> => {
            if (left < 0) throw new Killed('after the end')
            if (!counts(name)) return Reflect.apply(method, target, given)
            const isLast = left === 0
            left--
            if (isLast && !isLastCarriedOut) throw new Killed('before a call')
            const answer: unknown = await Reflect.apply(method, target, given)
            if (isLast) throw new Killed('after a call')
            return answer
          }
        },
      })
    },
  }
}
