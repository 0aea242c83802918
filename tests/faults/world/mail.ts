import type { Queues } from '#shared/platform/queues/port.ts'
import type { Random } from './random.ts'

export interface Letter {
  queue: string
  body: unknown
  /** Epoch milliseconds; the message is not delivered earlier. */
  dueAt: number
}

/** The percentage of messages that are delivered twice. */
const twice = 10

/**
 * Every message in transit, delivered in any order, and some of them twice. Messages of the platform's queues are never
 * lost. Events of the container engine are lost if the caller skips `add`.
 */
export function startMail(random: Random, now: () => number) {
  const waiting: Letter[] = []
  const add = (queue: string, body: unknown, delaySeconds = 0) =>
    void waiting.push({ queue, body, dueAt: now() + delaySeconds * 1000 })
  const queues: Queues = {
    send: async ({ queue }, body, options) => add(queue, body, options?.delaySeconds),
    sendAll: async ({ queue }, bodies, options) => {
      for (const body of bodies) add(queue, body, options?.delaySeconds)
    },
  }
  const due = () => waiting.filter(({ dueAt }) => dueAt <= now())
  return {
    queues,
    waiting,
    add,
    /** Takes a due message; it may stay in the queue for a second delivery. */
    take(chaos: boolean): Letter | undefined {
      const choice = due()
      if (choice.length === 0) return undefined
      const letter = random.pick(choice)
      if (!chaos || !random.percent(twice)) waiting.splice(waiting.indexOf(letter), 1)
      return letter
    },
    /** Returns a message that could not be handled. */
    back(letter: Letter): void {
      if (!waiting.includes(letter)) waiting.push(letter)
      letter.dueAt = now() + 1000
    },
    /** Returns the due time of the next message, in epoch milliseconds. */
    nextDue: (): number => Math.min(...waiting.map(({ dueAt }) => dueAt)),
  }
}
