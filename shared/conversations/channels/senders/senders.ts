import type * as z from 'zod'
import type { channelSenderRows } from '../rows.ts'

export type Senders = z.output<ReturnType<typeof channelSenderRows.declared.schema>>

/** The validity of a code in milliseconds: contract.md 18. */
const validMs = 86_400_000

/** Returns the senders without those whose code has expired. */
export function withoutOldCodes(senders: Senders['senders'], now: number): Senders['senders'] {
  return Object.fromEntries(
    Object.entries(senders).filter(
      ([, { state, at }]) => state !== 'pending' || now - at < validMs,
    ),
  )
}
