import type { Queues } from '../../../shared/platform/queues/port.ts'
import type { Random } from './random.ts'

export interface Letter {
  queue: string
  body: unknown
  /** Epoch milliseconds before which it is not handed out. */
  dueAt: number
}

/** How many times in a hundred a message comes twice. */
const twice = 10

/**
 * Every message that is under way: handed out in any order, some of them twice. Those of the platform's own queues are
 * never lost; what comes from the container engine may be, where `add` is not called for it.
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
    /** Takes one that is due; it may be left to come again. */
    take(chaos: boolean): Letter | undefined {
      const choice = due()
      if (choice.length === 0) return undefined
      const letter = random.pick(choice)
      if (!chaos || !random.percent(twice)) waiting.splice(waiting.indexOf(letter), 1)
      return letter
    },
    /** Gives back what could not be dealt with. */
    back(letter: Letter): void {
      if (!waiting.includes(letter)) waiting.push(letter)
      letter.dueAt = now() + 1000
    },
    /** When the next one is due, in epoch milliseconds. */
    nextDue: (): number => Math.min(...waiting.map(({ dueAt }) => dueAt)),
  }
}
