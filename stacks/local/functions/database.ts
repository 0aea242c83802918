import type { DatabaseAnswer, FromRuntime } from './protocol.ts'

/**
 * Gives a bundle the way to the embedded database that takes no socket: `shared/platform/carrier/node.ts` finds it under
 * this symbol.
 * @returns what takes the answers
 */
export function installDatabase(
  send: (message: FromRuntime) => void,
): (id: number, answer: DatabaseAnswer) => void {
  const waiting = new Map<number, (answer: DatabaseAnswer) => void>()
  let lastId = 0
  Object.assign(globalThis, {
    [Symbol.for('agent-platform.database')]: (operation: string, input: string) =>
      new Promise<DatabaseAnswer>((resolve) => {
        const id = ++lastId
        waiting.set(id, resolve)
        send({ kind: 'ask', id, operation, input })
      }),
  })
  return (id, answer) => {
    waiting.get(id)?.(answer)
    waiting.delete(id)
  }
}
