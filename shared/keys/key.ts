import { allItems } from '../platform/table/pages.ts'
import type { Item, Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'

const prefix = 'key#'

/** Keys that one user may have at once: enough for every machine of a person, few enough for one page. */
export const keyLimit = 50

/** An API key as it is stored: nothing in it lets anyone act as its user. */
export interface ApiKey {
  id: string
  name: string
  /** The raw key's first characters. */
  keyPreview: string
  /** bcrypt, cost 10. */
  hash: string
  /** SHA-256 of the raw key, as hex: the row's sort key is made of it. */
  digest: string
  createdAt: string
  lastUsed: string | null
}

/** The sort key of a key in its user's partition. */
export function keyRowKey(digest: string): string {
  return prefix + digest
}

export function toApiKey(item: Item): ApiKey {
  const { pk: _pk, sk, ...rest } = item
  return { lastUsed: null, ...rest, digest: sk.slice(prefix.length) } as unknown as ApiKey
}

/** A user's keys, newest first. */
export async function keysOf(table: Table, userId: string): Promise<ApiKey[]> {
  const store = userStore(table, userId)
  const rows = await allItems((from) => store.query({ beginsWith: prefix, ...from }))
  return rows.map(toApiKey).sort((a, b) => (a.id < b.id ? 1 : -1))
}
