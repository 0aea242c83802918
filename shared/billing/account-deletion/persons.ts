import { linkRows, userLinkRows } from '#shared/accounts/providers/linking/rows.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Key, Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'

/** Returns the keys of the rows that link a sign-in provider's person to this user. */
export async function personsOf(table: Table, userId: string): Promise<Key[]> {
  const store = userStore(table, userId)
  const links = await allItems((from) =>
    store.query({ beginsWith: userLinkRows.prefix(), consistent: true, ...from }),
  )
  return links.map(({ sk }) => {
    const [provider = '', ...subject] = sk.slice(userLinkRows.prefix().length).split('#')
    return linkRows.key({ provider, subject: subject.join('#') })
  })
}
