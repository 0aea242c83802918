import type { Address } from '#shared/platform/containers/port.ts'
import type { WarmContainer } from './rows.ts'

/**
 * A waiting container polls every twenty seconds. Its row records a poll less often, because each record is a write.
 */
export const noteEveryMs = 5 * 60_000

/**
 * A container that has not polled by then, or cannot be reached, is replaced. It is not replaced earlier, because the
 * next one may fail, too.
 */
export const startMs = 10 * 60_000

/**
 * A container that has been silent for this long has ended, or belongs to an agent and the table was restored to an
 * earlier time.
 */
const silentMs = 20 * 60_000

/** A container that an agent can take: its program runs, polls for an agent, and can be reached. */
export type Ready = WarmContainer & {
  taskArn: string
  taskVersion: number
  address: Address
}

/** Returns whether an agent can take a container. */
export function isReady(one: WarmContainer, now: number): one is Ready {
  const { by, address, taskArn, taskVersion } = one
  const isUp = [by, address, taskArn, taskVersion].every((known) => known !== undefined)
  return isUp && !isSilent(one, now)
}

/** Returns whether a container has not polled for too long. */
export function isSilent({ askedAt, createdAt }: WarmContainer, now: number): boolean {
  return now - (askedAt ?? createdAt) > silentMs
}
