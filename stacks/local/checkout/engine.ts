import type { Events } from './delivery/events.ts'
import type { Store } from './store/open.ts'
import type { openRecords } from './store/records.ts'

/** The shared state of one running stand-in. */
export interface Engine extends ReturnType<typeof openRecords> {
  readonly store: Store
  readonly events: Events
  /** The origin of its pages. */
  readonly origin: string
  /** Returns epoch milliseconds. */
  readonly clock: () => number
}

/** Returns epoch seconds. */
export function secondsNow({ clock }: Pick<Engine, 'clock'>): number {
  return Math.floor(clock() / 1000)
}
