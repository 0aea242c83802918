/** A difference that the way of an answer and the seconds of its header may make, in milliseconds. */
const least = 60_000

/** How far this computer's clock is behind the platform's, in milliseconds. */
let behind = 0

/** Takes the time from an answer: some computers are a day off, and all times on the pages are the platform's. */
export function setClock(date: string | null): void {
  const difference = Date.parse(date ?? '') - Date.now()
  if (!Number.isNaN(difference)) behind = Math.abs(difference) < least ? 0 : difference
}

/** The time in milliseconds, as the platform has it. */
export function now(): number {
  return Date.now() + behind
}
