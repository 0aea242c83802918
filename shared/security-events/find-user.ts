import { knownEmail } from '../accounts/schema.ts'
import { emailKey } from '../accounts/user.ts'
import type { Table } from '../platform/table/port.ts'
import { linkKey } from '../providers/linking/rows.ts'
import type { Subject } from './schema.ts'

/** The user whom an event is about: by the provider's subject first, then by email (spec.md). */
export async function findUserOf(
  table: Table,
  { sub, email }: Subject,
): Promise<string | undefined> {
  const link = isSubject(sub) ? await table.get(linkKey('idp', sub)) : undefined
  if (link !== undefined) return String(link.userId)
  const address = knownEmail.safeParse(email)
  const row = address.success ? await table.get(emailKey(address.data)) : undefined
  return row && String(row.userId)
}

/** Longer ones are no subjects (OpenID Connect Core 1.0, section 2), and no keys either. */
function isSubject(sub: string | undefined): sub is string {
  return sub !== undefined && sub !== '' && sub.length <= 255
}
