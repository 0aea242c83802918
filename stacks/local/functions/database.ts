import type { DatabaseAnswer, FromRuntime } from './protocol.ts'

/**
 * Gives a bundle direct access to the embedded database, without a socket. `shared/platform/carrier/node.ts` looks it up
 * under this symbol.
 * @returns a function that receives the database's answers
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
