import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { login } from '#shared/accounts/users/login.ts'
import { bcryptPasswords, type Passwords } from '#shared/accounts/users/password.ts'
import { emailKey, newUser, profileKey } from '#shared/accounts/users/user.ts'
import { newId } from '#shared/platform/ids.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { useLocalCredentials } from '#tests/support/platform/credentials.ts'
import { median } from '../budgets/measure.ts'

export interface SignIn {
  /** CPU time besides the hash, in milliseconds. */
  beside: number
  /** The same in elapsed time, including waits for the database and for other programs. */
  besideByClock: number
  /** CPU time of a hash as in a sign-in, in milliseconds. */
  hash: number
}

/**
 * Measures a sign-in besides its hash, as medians, with the embedded database. Uses cheap hashes, so that many rounds are
 * possible, and subtracts them.
 */
export async function measureSignIn(rounds = 300): Promise<SignIn> {
  const database = await startDatabase()
  const { table } = database
  const cheap = bcryptPasswords(4)
  const [email, password] = ['ada@example.com', 'correct horse']
  const user = newUser({ id: newId('usr'), email, name: 'Ada', referralCode: 'A' })
  const passwordHash = await cheap.hash(password)
  await userStore(table, user.id).put(profileKey, { ...user, passwordHash })
  await table.put({ ...emailKey(email), userId: user.id })

  let hashing = { clock: 0, cpu: 0 }
  const passwords: Passwords = {
    hash: cheap.hash,
    async matches(plain, stored) {
      const { result, ...took } = await timed(() => cheap.matches(plain, stored))
      hashing = took
      return result
    },
  }
  const dear = bcryptPasswords()
  const dearHash = await dear.hash(password)
  const samples: { clock: number; cpu: number }[] = []
  const hashes: number[] = []
  for (let round = 0; round < 2 * rounds; round++) {
    const { clock, cpu } = await timed(() =>
      login({ table, passwords, ip: '127.0.0.1', lockouts: true }, { email, password }),
    )
    // The first half warms up the compiler.
    if (round >= rounds) samples.push({ clock: clock - hashing.clock, cpu: cpu - hashing.cpu })
    if (round % 60 === 0) hashes.push((await timed(() => dear.matches(password, dearHash))).cpu)
  }
  await database.close()
  return {
    beside: median(samples.map(({ cpu }) => cpu)),
    besideByClock: median(samples.map(({ clock }) => clock)),
    hash: median(hashes),
  }
}

async function startDatabase() {
  useLocalCredentials()
  const child = spawn(process.execPath, [join(import.meta.dirname, 'database/main.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [endpoint] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    table: dynamoTable({ tableName: 'platform', endpoint: String(endpoint) }),
    async close() {
      const exited = once(child, 'exit')
      child.kill()
      await exited
    },
  }
}

/** Returns the elapsed time and the CPU time of all threads, in milliseconds. */
async function timed<T>(work: () => Promise<T>) {
  const began = performance.now()
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { result, clock: performance.now() - began, cpu: (user + system) / 1000 }
}
