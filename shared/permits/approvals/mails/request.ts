import type { Item, Write } from '#shared/platform/table/port.ts'
import { approvalMailRows, approvalMailsDue } from '../rows.ts'
import type { ApprovalWork } from '../topic.ts'

/** The time between two mails to an owner, in milliseconds: contract.md 17. */
export const mailGapMs = 10 * 60_000

/**
 * Returns the write of a transaction that stores a pending approval, so that a mail lists it. It is refused if the mail
 * has changed in the meantime.
 * @param mail the owner's row as it was read, undefined if it does not exist
 * @param now epoch milliseconds
 * @returns also the message that requests a new mail, if the mail may be sent now
 */
export function mailPart(
  userId: string,
  mail: Item | undefined,
  now: number,
): { write: Write; message?: ApprovalWork } {
  const key = approvalMailRows.key({ userId })
  const row = mail && approvalMailRows.parse(mail)
  // The mail is not sent yet, and reads the pending approvals after this transaction.
  if (row !== undefined && row.sentAt === undefined)
    return {
      write: {
        check: key,
        if: 'attribute_not_exists(#sentAt) AND attribute_exists(#gsi1pk)',
      },
    }
  const last = row?.sentAt
  const due = Math.max(now, last === undefined ? 0 : Date.parse(last) + mailGapMs)
  return {
    write: {
      update: key,
      set: { userId, ...approvalMailsDue.at(userId, due) },
      // An attempt that still sends the last mail can no longer write.
      add: { attempts: 1 },
      remove: ['sentAt'],
      ...(last === undefined
        ? { if: 'attribute_not_exists(pk)' }
        : { if: '#sentAt = :last', values: { last } }),
    },
    ...(due === now && { message: { userId, attempt: (row?.attempts ?? 0) + 2 } }),
  }
}
