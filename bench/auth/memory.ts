import { newUser } from '../../shared/accounts/user.ts'
import { sessionRows } from '../../shared/accounts/rows.ts'
import { readSessionCookie } from '../../shared/accounts/session.ts'
import { keyRowKey } from '../../shared/accounts/api-key.ts'
import { newSecret } from '../../shared/keys/secret.ts'
import { randomToken, sha256Hex } from '../../shared/platform/crypto.ts'
import { newId } from '../../shared/platform/ids.ts'
import type { Item, Table } from '../../shared/platform/table/port.ts'
import { userPartition } from '../../shared/platform/table/user-store.ts'
import { hash } from 'bcryptjs'

/** Rows that a read finds without a database, so that what is measured is the time beside the read. */
export interface Memory {
  table: Table
  /** How many reads there were. */
  reads(): number
  /** Who is signed in. */
  cookie: string
  /** Their API key. */
  secret: string
}

/** A user among many, with a session and an API key. */
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
  // A second kind of read, or a write, would have no method to go to, and end the bench.
  return { table: only as Table, reads: () => reads, ...last }
}
