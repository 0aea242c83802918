import type { Condition, Item, Key, Page, Query, Row, Table, Update, Write } from './port.ts'

/**
 * Row-level security: the table limited to one user. Every key is created here with that user's partition, so that no
 * id in a request can address another user's row.
 */
export interface UserStore {
  readonly userId: string
  get(sk: string, options?: { consistent?: boolean }): Promise<Item | undefined>
  put(sk: string, attributes: Record<string, unknown>, condition?: Condition): Promise<void>
  update(sk: string, update: Update): Promise<Item>
  delete(sk: string, condition?: Condition): Promise<Item | undefined>
  query(query: Omit<Query, 'pk' | 'index'>): Promise<Page>
  /**
   * Writes rows of this partition, all or none. @throws TransactionFailed, and TypeError for a row of another
   * partition
   */
  transact(writes: readonly Write[], token?: string): Promise<void>
  /** Returns a row of this partition for `changeItem`; parts written with it must belong to this partition too. */
  row(sk: string): Row
  /**
   * Returns writes of this partition for a transaction, which may contain rows of other partitions too, such as a
   * unique email.
   */
  write: {
    put(sk: string, attributes: Record<string, unknown>, condition?: Condition): Write
    update(sk: string, update: Update): Write
    delete(sk: string, condition?: Condition): Write
    check(sk: string, condition: Condition & { if: string }): Write
  }
}

/** The owner of rows without a user, such as agents of the platform itself. No user id begins with `@`. */
export const platformOwner = '@platform'

/** The form of user ids: the platform's own are `usr_…`, but a trusted caller may use other ids. */
export const userIdPattern = /^[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,127}$/

/** The partition of all rows of a user. */
export function userPartition(userId: string): string {
  return `user#${userId}`
}

/** @throws TypeError for a text that cannot be a user id */
export function userStore(table: Table, userId: string): UserStore {
  if (userId !== platformOwner && !userIdPattern.test(userId))
    throw new TypeError('not a user id: the store cannot be opened')
  const pk = userPartition(userId)
  const key = (sk: string) => ({ pk, sk })
  async function transact(writes: readonly Write[], token?: string): Promise<void> {
    if (writes.some((write) => keyOf(write).pk !== pk))
      throw new TypeError('not a row of this user')
    return table.transact(writes, token)
  }
  return {
    userId,
    get: (sk, options) => table.get(key(sk), options),
    put: (sk, attributes, condition) => table.put({ ...attributes, pk, sk }, condition),
    update: (sk, update) => table.update(key(sk), update),
    delete: (sk, condition) => table.delete(key(sk), condition),
    query: (query) => table.query({ ...query, pk }),
    transact,
    row: (sk) => ({
      key: key(sk),
      table: {
        get: (one) => table.get(one),
        put: (item, condition) => table.put(item, condition),
        update: (one, update) => table.update(one, update),
        delete: (one, condition) => table.delete(one, condition),
        transact,
      },
    }),
    write: {
      put: (sk, attributes, condition) => ({ put: { ...attributes, pk, sk }, ...condition }),
      update: (sk, update) => ({ update: key(sk), ...update }),
      delete: (sk, condition) => ({ delete: key(sk), ...condition }),
      check: (sk, condition) => ({ check: key(sk), ...condition }),
    },
  }
}

function keyOf(write: Write): Key {
  if ('put' in write) return write.put
  if ('update' in write) return write.update
  return 'delete' in write ? write.delete : write.check
}
