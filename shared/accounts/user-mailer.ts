import { sha256Hex } from '../platform/crypto.ts'
import { createLog } from '../platform/log.ts'
import type { Mailer } from '../platform/mail/port.ts'
import { queuedMailer } from '../platform/mail/queued.ts'
import type { Queues } from '../platform/queues/port.ts'
import type { Sealer } from '../platform/seal.ts'
import type { Table } from '../platform/table/port.ts'
import { written } from '../platform/table/written.ts'
import { mailboxRows } from './rows.ts'
import { findUserByEmail } from './user.ts'

/** contract.md 20: mails to a mailbox until an account has verified its address. */
const most = { hour: 5, day: 10 } as const

const daySeconds = 86_400

/**
 * The mail port for mails to users. Anyone can enter another person's address, so a mailbox that no account has verified
 * gets only a few mails from all accounts together. Further mails are dropped silently: an error would reveal that
 * others have used the address too.
 */
export function userMailer({
  table,
  queues,
  seals,
}: {
  table: Table
  queues: Queues<'mails'>
  seals: Sealer | undefined
}): Mailer {
  const mailer = queuedMailer(queues, seals)
  return {
    async send(mail) {
      const user = await findUserByEmail(table, mail.to)
      if (user?.emailVerified === true || (await mayBeMailed(table, mail.to)))
        return mailer.send(mail)
      createLog().warn('a mail was dropped: its mailbox has reached the limit', {
        mail: mail.subject,
      })
    },
  }
}

/** Counts a mail to a mailbox. @returns false if its limit for this hour or day (UTC) is used up */
async function mayBeMailed(table: Table, to: string, now = Date.now()): Promise<boolean> {
  const day = new Date(now).toISOString().slice(0, 10)
  const hour = `hour${new Date(now).getUTCHours()}`
  const mailboxHash = await sha256Hex(mailboxOf(to))
  return written(
    table.update(mailboxRows.key({ mailboxHash, day }), {
      add: { count: 1, [hour]: 1 },
      set: { expiresAt: Math.floor(now / 1000) + 2 * daySeconds },
      if: `(attribute_not_exists(#count) OR #count < :day) AND (attribute_not_exists(#${hour}) OR #${hour} < :hour)`,
      values: most,
    }),
  )
}

/** Returns the mailbox of an address: without the part after a plus, in lower case. Gmail also ignores dots. */
function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@')
  const name = address.slice(0, at).replace(/\+.*$/, '').toLowerCase()
  const domain = address.slice(at + 1).toLowerCase()
  const isGmail = domain === 'gmail.com' || domain === 'googlemail.com'
  return isGmail ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`
}
