import type { Events } from './delivery/events.ts'
import type { Store } from './store/open.ts'
import type { openRecords } from './store/records.ts'

/** What every part of one running stand-in shares. */
export interface Engine extends ReturnType<typeof openRecords> {
  readonly store: Store
  readonly events: Events
  /** Where its pages are, without a path. */
  readonly origin: string
  /** Epoch milliseconds. */
  readonly clock: () => number
}

/** Epoch seconds. */
export function secondsNow({ clock }: Pick<Engine, 'clock'>): number {
  return Math.floor(clock() / 1000)
}
