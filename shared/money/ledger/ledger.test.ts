import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newUser, profileKey, toUser } from '#shared/accounts/users/user.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { TransactionRefused } from '#shared/platform/table/commit.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { userPartition, userStore } from '#shared/platform/table/user-store.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { type Posting, postCredits } from './post.ts'
import { creditRows } from './rows.ts'

let db: TestTable
beforeAll(async () => {
  db = await startTestTable()
})
afterAll(() => db.close())

let users = 0

async function startAccount(): Promise<string> {
  const id = `usr_ledger${users++}`
  const user = newUser({ id, email: `${id}@b.co`, name: id, referralCode: id })
  await db.table.put({ pk: userPartition(id), sk: profileKey, ...user })
  return id
}

async function post(userId: string, posting: Posting): Promise<boolean> {
  try {
    return await changeItem(userStore(db.table, userId).row(profileKey), (item) => {
      if (item === undefined) throw new Error('no user')
      const { balance, posting: entry, once } = postCredits(userId, toUser(item), posting)
      return { update: balance, also: { entry, once } }
    })
  } catch (error) {
    if (error instanceof TransactionRefused) return false
    throw error
  }
}

async function ledgerOf(userId: string) {
  const store = userStore(db.table, userId)
  const items = await allItems((from) => store.query({ beginsWith: creditRows.prefix(), ...from }))
  return items.map(creditRows.parse)
}

const step: fc.Arbitrary<Posting> = fc.oneof(
  fc.record({
    reason: fc.constantFrom('grant' as const, 'referral' as const),
    microUsd: fc.integer({ min: 1, max: 1_000_000 }),
    // Few references, so that many postings repeat.
    ref: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  }),
  fc.record({
    reason: fc.constantFrom('use' as const, 'refund' as const),
    microUsd: fc.integer({ min: -1_500_000, max: -1 }),
    ref: fc.uuid(),
  }),
)

async function runHistory(steps: Posting[][]): Promise<void> {
  const userId = await startAccount()
  const posted: string[] = []
  for (const together of steps) {
    await Promise.all(
      together.map(async (each) => {
        if (await post(userId, each)) posted.push(`${each.reason} ${each.ref}`)
      }),
    )
    const entries = await ledgerOf(userId)
    let sum = 0
    for (const { microUsd, balanceMicroUsd } of entries) {
      sum += microUsd
      expect(balanceMicroUsd).toBe(sum)
      expect(sum).toBeGreaterThanOrEqual(0)
    }
    const item = await userStore(db.table, userId).get(profileKey)
    const user = item && toUser(item)
    expect(user).toMatchObject({ creditMicroUsd: sum })
    expect(user?.creditPostings ?? 0).toBe(entries.length)
    expect(entries.map(({ reason, ref }) => `${reason} ${ref}`).sort()).toEqual(posted.sort())
    expect(new Set(posted).size).toBe(posted.length)
  }
}

it('in every history, the postings sum up to the balance, one by one, and never fall below zero', async () => {
  const together = fc.array(step, { minLength: 1, maxLength: 5 })
  await fc.assert(fc.asyncProperty(fc.array(together, { maxLength: 12 }), runHistory), {
    numRuns: 60,
    interruptAfterTimeLimit: 60_000,
  })
}, 120_000)
