import { dayOf } from '#shared/platform/days.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { storageRows } from './rows.ts'
import { storageFull } from './use.ts'

/** A user's containers may upload this multiple of the quota plus this many bytes per UTC day. */
const timesQuota = 2
const freeBytes = 10 * 1024 ** 3

/**
 * Counts bytes that a user's containers are about to store. A container may exceed the quota, because writes to its disk
 * cannot be refused, so the uploads of a day bound what it stores and replaces.
 * @param upload.release true for the last files of a container: the limit is higher by the quota
 * @throws PlatformError 402 STORAGE_LIMIT_REACHED
 */
export async function countUpload(
  { table }: Pick<Context, 'table'>,
  {
    userId,
    bytes,
    quota,
    release,
  }: { userId: string; bytes: number; quota: number; release?: boolean | undefined },
  now = Date.now(),
): Promise<void> {
  const key = storageRows.key({ userId })
  const day = dayOf(now)
  const most = (release ? timesQuota + 1 : timesQuota) * quota + freeBytes
  const isCounted =
    bytes <= most &&
    ((await tryWrite(
      table.update(key, {
        add: { uploaded: bytes },
        if: '#uploadDay = :day AND #uploaded <= :left',
        values: { day, left: most - bytes },
      }),
    )) ||
      (await tryWrite(
        table.update(key, {
          set: { uploadDay: day, uploaded: bytes },
          if: 'attribute_not_exists(#uploadDay) OR #uploadDay < :day',
          values: { day },
        }),
      )))
  if (isCounted) return
  throw storageFull(
    await storageRows.find(table, { userId }),
    quota,
    'The agents of the owner have stored too many bytes today (UTC)',
  )
}
