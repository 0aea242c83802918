import { PlatformError } from '../errors.ts'
import { changeItem } from './change-item.ts'
import { absent } from './if-present.ts'
import type { Item, Row } from './port.ts'

/** A row with the times of events within a sliding window, such as failed sign-ins and wrong codes. */
export interface RecentTimes {
  row: Row
  /** The parser of the row's entity. `times` are epoch milliseconds. */
  parse(item: Item): { times: number[]; version: number }
  windowMs: number
}

/**
 * Adds a time, unless the window already contains `most` times.
 * @param refusal the message of the error
 * @param now epoch milliseconds
 * @throws PlatformError 429 with Retry-After, the seconds until the oldest time leaves the window
 */
export async function addTime(
  recent: RecentTimes,
  { most, refusal, now }: { most: number; refusal: string; now: number },
): Promise<void> {
  // Usually the row does not exist yet, so the first attempt writes without a read.
  await changeItem(
    recent.row,
    (item) => {
      const { times = [], version } = item ? recent.parse(item) : {}
      const inWindow = times.filter((time) => time > now - recent.windowMs)
      const [oldest = now] = inWindow
      if (inWindow.length < most) return change(recent, [...inWindow, now], version)
      const seconds = Math.max(1, Math.ceil((oldest + recent.windowMs - now) / 1000))
      throw new PlatformError('too-many-requests', refusal, {
        headers: { 'Retry-After': String(seconds) },
      })
    },
    { first: undefined },
  )
}

/** Removes one time, if it exists. */
export async function removeTime(recent: RecentTimes, time: number): Promise<void> {
  await changeItem(recent.row, (item) => {
    const { times = [], version } = item ? recent.parse(item) : {}
    const at = times.indexOf(time)
    return at < 0 ? undefined : change(recent, times.toSpliced(at, 1), version)
  })
}

/** @param version of the existing row, if any */
function change({ windowMs }: RecentTimes, times: number[], version?: number) {
  const expiresAt = Math.ceil((Date.now() + windowMs) / 1000)
  return {
    update: {
      set: { times, version: (version ?? 0) + 1, expiresAt },
      ...(version === undefined ? absent() : { if: '#version = :seen', values: { seen: version } }),
    },
  }
}
