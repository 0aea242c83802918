import type { Queues } from '#shared/platform/queues/port.ts'
import { Killed } from './killed-process.ts'

/** Queues that only record their messages. While `state.isKilled`, sending them kills the process. */
export function recorded<Message>() {
  const waiting: Message[] = []
  const state = { isKilled: false }
  const record = async (bodies: readonly unknown[]) => {
    if (state.isKilled) throw new Killed()
    waiting.push(...(bodies as Message[]))
  }
  const queues: Queues = {
    send: (_, body) => record([body]),
    sendAll: (_, bodies) => record(bodies),
  }
  return { waiting, state, queues }
}
