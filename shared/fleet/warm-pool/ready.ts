import type { Address } from '../../platform/containers/port.ts'
import type { WarmContainer } from './rows.ts'

/** A container that waits asks every twenty seconds; its row notes it so often, since each note is a write. */
export const noteEveryMs = 5 * 60_000

/** A container that has not asked for an agent by then, or cannot be reached, is replaced; and no sooner, as the next may do the same. */
export const startMs = 10 * 60_000

/**
 * A container that has not been heard of for so long has ended, or is an agent’s and the row does not know it: the table
 * was put back to a time at which it waited.
 */
const silentMs = 20 * 60_000

/** A container of which an agent can be made: its program runs, asks for an agent, and can be reached. */
export type Ready = WarmContainer & {
  taskArn: string
  taskVersion: number
  address: Address
}

export function isReady(one: WarmContainer, now: number): one is Ready {
  const { by, address, taskArn, taskVersion } = one
  const isUp = [by, address, taskArn, taskVersion].every((known) => known !== undefined)
  return isUp && !isSilent(one, now)
}

export function isSilent({ askedAt, createdAt }: WarmContainer, now: number): boolean {
  return now - (askedAt ?? createdAt) > silentMs
}
