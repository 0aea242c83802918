import { PlatformError } from '#shared/platform/errors.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { storageRows, type StorageUse } from './rows.ts'

/** A change of the bytes of a user's files, and of reservations. */
export interface UseChange {
  bytes: number
  reserved: number
}

interface Bounded {
  /** In bytes; undefined for no limit. */
  quota: number | undefined
  /** The storage as it was read before. */
  use: StorageUse | undefined
}

/** The owner is notified again of a full storage only after the use has fallen below this part of the quota. */
const emptierThan = 0.9

/** Returns whether a change does not exceed the quota. A change that takes no further bytes always fits. */
export function hasRoom({ bytes, reserved }: UseChange, { quota, use }: Bounded): boolean {
  const more = bytes + reserved
  return more <= 0 || quota === undefined || (use?.taken ?? 0) + more <= quota
}

/** Returns the write of a change, for a transaction. It is refused if the change exceeds the quota. */
export function changeUse(
  userId: string,
  { bytes, reserved }: UseChange,
  { quota, use }: Bounded,
): Write {
  const more = bytes + reserved
  const used = (use?.taken ?? 0) - (use?.reserved ?? 0) + bytes
  // Only a change that frees bytes: otherwise each refused large file would cause a mail.
  const isEmptier = bytes < 0 && quota !== undefined && used < quota * emptierThan
  return {
    update: storageRows.key({ userId }),
    add: { taken: more, reserved },
    ...(isEmptier && use?.fullAt !== undefined && { remove: ['fullAt', 'untold'] }),
    ...(more > 0 && quota !== undefined && upTo(quota - more)),
  }
}

/** Returns the condition that at most this many bytes are taken. */
function upTo(most: number) {
  return {
    if: most < 0 ? '#taken <= :most' : '(attribute_not_exists(#taken) OR #taken <= :most)',
    values: { most },
  }
}

/** Agents of an owner who uses more than this multiple of the quota are not started: contract.md 16. */
const startsUpTo = 1.2

/** Returns whether so much more than the quota is used that no agent starts. */
export function blocksStarts(use: StorageUse | undefined, quota: number): boolean {
  return (use?.taken ?? 0) - (use?.reserved ?? 0) > quota * startsUpTo
}

/** Returns the error 402 for a write or a start that exceeds the storage. */
export function storageFull(
  use: StorageUse | undefined,
  quota: number,
  message = 'The storage is full; delete files, or buy more storage',
): PlatformError {
  const used = (use?.taken ?? 0) - (use?.reserved ?? 0)
  return new PlatformError('payment-required', message, {
    code: 'STORAGE_LIMIT_REACHED',
    details: { used, quota },
  })
}
