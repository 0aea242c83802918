import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { mailCountRows } from './rows.ts'

const windowSeconds = 3600

/** The maximum number of mails per hour and account: enough for a person who loses some, too few to flood a mailbox. */
const perHour = { reset: 5, address: 10 } as const

/**
 * Counts a mail before it is sent for an account. @returns false if the account has used up its mails of this hour
 */
export async function withinMailQuota(
  table: Table,
  userId: string,
  kind: keyof typeof perHour,
  now = Date.now(),
): Promise<boolean> {
  const second = epochSeconds(now)
  const start = second - (second % windowSeconds)
  const counted = await userStore(table, userId).update(
    mailCountRows.sk({ kind, hour: String(start) }),
    {
      add: { count: 1 },
      set: { expiresAt: start + 2 * windowSeconds },
    },
  )
  return mailCountRows.parse(counted).count <= perHour[kind]
}
