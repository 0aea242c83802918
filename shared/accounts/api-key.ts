import type { KeyScope } from '../identity/actor.ts'
import { allItems } from '../platform/table/pages.ts'
import type { Item, Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { keyRows } from './rows.ts'
import { scopesOfRow, storedScopes } from './stored-scopes.ts'

/** Keys that one user may have at once: enough for every machine of a person, few enough for one page. */
export const keyLimit = 50

/** What a key may do that was asked for without scopes, as those were that are older than scopes. */
export const defaultScopes: KeyScope[] = ['read', 'chat', 'write']

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
  scopes: KeyScope[]
  /** ISO 8601; null for never. */
  expiresAt: string | null
  /** The user's `keyEpoch` when it was made. */
  epoch: number
}

/** The sort key of a key in its user's partition. */
export function keyRowKey(digest: string): string {
  return keyRows.sk({ digest })
}

export function toApiKey(item: Item): ApiKey {
  const { validUntil: expiresAt = null, lastUsed = null, ...row } = keyRows.parse(item)
  const { scopes = storedScopes(defaultScopes).scopes, money, epoch = 0, ...rest } = row
  const digest = item.sk.slice(keyRows.prefix().length)
  return { ...rest, scopes: scopesOfRow({ scopes, money }), epoch, lastUsed, expiresAt, digest }
}

/** The owner of keys, as far as keys depend on them. */
export interface KeyOwner {
  id: string
  keyEpoch?: number | undefined
}

/** Whether a key is of a time before all of its owner's were ended: its row is only left over. */
export function isEnded(key: ApiKey, { keyEpoch = 0 }: Pick<KeyOwner, 'keyEpoch'>): boolean {
  return key.epoch !== keyEpoch
}

export function isExpired({ expiresAt }: Pick<ApiKey, 'expiresAt'>, now = Date.now()): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now
}

/** A user's keys, newest first; those that have expired are among them until they are deleted. */
export async function keysOf(
  { table }: { table: Table },
  { owner }: { owner: KeyOwner },
): Promise<ApiKey[]> {
  const store = userStore(table, owner.id)
  const rows = await allItems((from) => store.query({ beginsWith: keyRows.prefix(), ...from }))
  return rows
    .map(toApiKey)
    .filter((key) => !isEnded(key, owner))
    .sort((a, b) => (a.id < b.id ? 1 : -1))
}

/**
 * Removes the rows of keys that are void since `keyEpoch` began. A process that ends in between leaves rows that open
 * nothing and that no list shows.
 */
export async function removeKeys(table: Table, userId: string, keyEpoch: number): Promise<void> {
  const store = userStore(table, userId)
  const rows = await allItems((from) => store.query({ beginsWith: keyRows.prefix(), ...from }))
  const ended = rows.filter((row) => toApiKey(row).epoch < keyEpoch)
  await Promise.all(ended.map(({ sk }) => store.delete(sk)))
}
