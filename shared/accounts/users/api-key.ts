import type { KeyLimits, KeyScope } from '#shared/platform/identity/actor.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { keyRows } from './rows.ts'
import { scopesOfRow, storedScopes } from './stored-scopes.ts'

/** The maximum number of keys of one user: enough for every machine of a person, few enough for one page. */
export const keyLimit = 50

/** The default scopes of a key, also for keys that are older than scopes. */
export const defaultScopes: KeyScope[] = ['read', 'chat', 'write']

/** An API key as it is stored, without its secret. */
export interface ApiKey {
  id: string
  name: string
  /** The raw key's first characters. */
  keyPreview: string
  /** A bcrypt hash with the cost 10. */
  hash: string
  /** The SHA-256 of the raw key in hex, which the row's sort key contains. */
  digest: string
  createdAt: string
  lastUsed: string | null
  scopes: KeyScope[]
  /** ISO 8601; null if the key does not expire. */
  expiresAt: string | null
  /** Null without limits. */
  limits: KeyLimits | null
  /** The user's `keyEpoch` when the key was created. */
  epoch: number
  /** The number of changes of the key. */
  revision: number
}

/** Returns the sort key of an API key in its user's partition. */
export function keyRowKey(digest: string): string {
  return keyRows.sk({ digest })
}

export function toApiKey(item: Item): ApiKey {
  const { validUntil: expiresAt = null, lastUsed = null, ...row } = keyRows.parse(item)
  const { scopes = storedScopes(defaultScopes).scopes, money, epoch = 0, ...rest } = row
  const { limits = null, revision = 0, ...fields } = rest
  return {
    ...fields,
    scopes: scopesOfRow({ scopes, money }),
    limits,
    epoch,
    revision,
    lastUsed,
    expiresAt,
    digest: item.sk.slice(keyRows.prefix().length),
  }
}

/** The fields of a user that the validity of keys depends on. */
export interface KeyOwner {
  id: string
  keyEpoch?: number | undefined
}

/**
 * Returns whether the key was created before all of its owner's keys were revoked: the key is void although its row
 * exists.
 */
export function isEnded(key: ApiKey, { keyEpoch = 0 }: Pick<KeyOwner, 'keyEpoch'>): boolean {
  return key.epoch !== keyEpoch
}

export function isExpired({ expiresAt }: Pick<ApiKey, 'expiresAt'>, now = Date.now()): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= now
}

/** Returns a user's keys, newest first; expired keys are included until they are deleted. */
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
 * Removes the rows of keys that became void when `keyEpoch` began. If the process ends in between, the rest are
 * void and hidden from lists.
 */
export async function removeKeys(table: Table, userId: string, keyEpoch: number): Promise<void> {
  const store = userStore(table, userId)
  const rows = await allItems((from) => store.query({ beginsWith: keyRows.prefix(), ...from }))
  const ended = rows.filter((row) => toApiKey(row).epoch < keyEpoch)
  await Promise.all(ended.map(({ sk }) => store.delete(sk)))
}
