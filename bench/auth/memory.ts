import { hash } from 'bcryptjs'
import { newSecret } from '#shared/accounts/keys/secret.ts'
import { keyRowKey } from '#shared/accounts/users/api-key.ts'
import { sessionRows } from '#shared/accounts/users/rows.ts'
import { readSessionCookie } from '#shared/accounts/users/session.ts'
import { newUser } from '#shared/accounts/users/user.ts'
import { randomToken, sha256Hex } from '#shared/platform/crypto.ts'
import { newId } from '#shared/platform/ids.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'

/** Rows in memory, so that the measurement excludes the database. */
export interface Memory {
  table: Table
  /** Returns the number of reads. */
  reads(): number
  /** The cookie of a signed-in user. */
  cookie: string
  /** The API key of the same user. */
  secret: string
}

/** Creates many users, one of them with a session and an API key. */
export async function startMemory(users = 1000): Promise<Memory> {
  const rows = new Map<string, Item>()
  const put = (item: Item) => void rows.set(`${item.pk}\n${item.sk}`, item)
  let last = { cookie: '', secret: '' }
  const keyHash = await hash('any key', 4)
  for (let i = 0; i < users; i++) {
    const id = newId('usr')
    const pk = userPartition(id)
    const email = `user-${i}@example.com`
    last = { cookie: `${id}.${randomToken()}`, secret: newSecret(id) }
    const user = newUser({ id, email, name: 'Ada', referralCode: 'ABCD2345' })
    put({ ...user, pk, sk: 'profile' })
    const session = await readSessionCookie(last.cookie)
    const values = { userId: id, tokenHash: session?.tokenHash ?? '' }
    const { accessEpoch, createdAt } = user
    put(sessionRows.put(values, { accessEpoch, createdAt }))
    const lastUsed = new Date(Date.now() + 3_600_000).toISOString()
    const key = {
      id: newId('key'),
      name: 'k',
      keyPreview: 'sk_k...',
      hash: keyHash,
      createdAt: lastUsed,
      lastUsed,
    }
    put({ ...key, pk, sk: keyRowKey(await sha256Hex(last.secret)) })
  }
  let reads = 0
  const only: Pick<Table, 'getMany'> = {
    async getMany(keys) {
      reads++
      return keys.map(({ pk, sk }) => rows.get(`${pk}\n${sk}`))
    },
  }
  // Any other read, or a write, finds no method here and ends the benchmark.
  return { table: only as Table, reads: () => reads, ...last }
}
