import { setTimeout as wait } from 'node:timers/promises'

/** A schedule function that logs its start and end. */
export async function handler(event: unknown): Promise<void> {
  process.stdout.write(`${JSON.stringify({ began: event })}\n`)
  await wait(300)
  process.stdout.write(`${JSON.stringify({ ended: true })}\n`)
}
