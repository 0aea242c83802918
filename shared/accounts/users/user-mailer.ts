import { addressNetwork } from '#shared/platform/address.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Mailer } from '#shared/platform/mail/port.ts'
import { queuedMailer } from '#shared/platform/mail/queued-mailer.ts'
import type { Origin, Queues } from '#shared/platform/queues/port.ts'
import type { Sealer } from '#shared/platform/seal.ts'
import type { Key, Table } from '#shared/platform/table/port.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { mailAskerRows, mailboxRows } from './rows.ts'
import { findUserByEmail } from './user.ts'

/** contract.md 20: mails to a mailbox until an account has verified its address. */
const maxToMailbox = { hour: 5, day: 10 } as const

/** The maximum number of mails from one requester to unverified mailboxes: enough for an office. */
const maxByAsker = { hour: 20, day: 50 } as const

const daySeconds = 86_400

/**
 * Returns the requesters of a request's mails: its signed-in user, if any, and the client's network. Clients on the
 * platform's own machine share a loopback address, so their network is not included.
 */
export function mailAskers({ askedBy, address = '' }: Origin): string[] {
  const user = /^user:(.+)$/.exec(askedBy)?.[1]
  return [user, addressNetwork(address)].filter((asker) => asker !== undefined)
}

/**
 * The mail port for mails to users. Anyone can enter another person's address, so a mailbox that no account has
 * verified gets only a few mails from all accounts together, and each requester can send only a few to all such
 * mailboxes. More mails are dropped silently: an error would reveal that others have used the address too.
 * @param askers the requesters; each has its own limit
 */
export function userMailer({
  table,
  queues,
  sealer,
  askers = [],
}: {
  table: Table
  queues: Queues<'mails'>
  sealer: Sealer | undefined
  askers?: readonly string[]
}): Mailer {
  const mailer = queuedMailer(queues, sealer)

  /** Counts for the requesters first: a requester beyond its limit must not use up the limits of mailboxes. */
  async function mayBeMailed(to: string): Promise<boolean> {
    const now = new Date()
    const day = now.toISOString().slice(0, 10)
    for (const asker of askers)
      if (!(await counted(table, mailAskerRows.key({ asker, day }), maxByAsker, now))) return false
    const mailboxHash = await sha256Hex(mailboxOf(to))
    return counted(table, mailboxRows.key({ mailboxHash, day }), maxToMailbox, now)
  }

  return {
    async send(mail) {
      const user = await findUserByEmail(table, mail.to)
      if (user?.emailVerified === true || (await mayBeMailed(mail.to))) return mailer.send(mail)
      createLog().warn('a mail was dropped: its mailbox or requester has reached the limit', {
        mail: mail.subject,
      })
    },
  }
}

/** Counts a mail in the row of a day. @returns false if the limit for this hour or day (UTC) is used up */
function counted(
  table: Table,
  key: Key,
  most: { hour: number; day: number },
  now: Date,
): Promise<boolean> {
  const hour = `hour${now.getUTCHours()}`
  return tryWrite(
    table.update(key, {
      add: { count: 1, [hour]: 1 },
      set: { expiresAt: epochSeconds(now.getTime()) + 2 * daySeconds },
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
