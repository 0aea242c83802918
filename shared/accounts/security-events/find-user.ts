import type { Table } from '#shared/platform/table/port.ts'
import { linkRows } from '../providers/linking/rows.ts'
import { emailRows } from '../users/rows.ts'
import { knownEmail } from '../users/schema.ts'
import type { Subject } from './topic.ts'

/** Returns the user of an event: by the provider's subject first, then by email (spec.md). */
export async function findUserOf(
  table: Table,
  { sub, email }: Subject,
): Promise<string | undefined> {
  const link = isSubject(sub)
    ? await table.get(linkRows.key({ provider: 'idp', subject: sub }))
    : undefined
  if (link !== undefined) return linkRows.parse(link).userId
  const address = knownEmail.safeParse(email)
  const row = address.success ? await table.get(emailRows.key({ email: address.data })) : undefined
  return row && emailRows.parse(row).userId
}

/** Longer texts are not subjects (OpenID Connect Core 1.0, section 2), and would not fit into keys. */
function isSubject(sub: string | undefined): sub is string {
  return sub !== undefined && sub !== '' && sub.length <= 255
}
