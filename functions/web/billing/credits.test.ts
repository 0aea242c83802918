import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { profileKey, toUser } from '#shared/accounts/users/user.ts'
import { type Posting, postCredits } from '#shared/money/ledger/post.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import { userPartition, userStore } from '#shared/platform/table/user-store.ts'
import { startUsage, type Usage } from '#tests/support/ai/usage.ts'
import { grantCredits } from '#tests/support/billing/credits.ts'
import type { QueryOf } from '../../../clients/typescript/core/operation.ts'

let usage: Usage

beforeAll(async () => {
  usage = await startUsage()
})
afterAll(() => usage.close())

const newUser = () => usage.signUp(`credits-${randomUUID()}@b.co`)

async function post(userId: string, posting: Posting): Promise<void> {
  await changeItem(userStore(usage.table, userId).row(profileKey), (item) => {
    if (item === undefined) throw new Error('no user')
    const { balance, posting: entry, once } = postCredits(userId, toUser(item), posting)
    return { update: balance, also: { entry, once } }
  })
}

const grant = (userId: string, credits: number, ref?: string) =>
  grantCredits(usage.table, userId, credits, ref)

type Query = QueryOf<'GET /api/credits/ledger'>

async function ledgerOf(session: string, query: Query = {}) {
  return (await usage.platformOf(session).billing.ledger(query)).entries
}

const amounts = async (session: string, query: Query = {}) =>
  (await ledgerOf(session, query)).map(({ amount }) => amount)

describe('GET /api/credits/ledger', () => {
  it('is empty for a user without credits', async () => {
    const { session } = await newUser()
    expect(await usage.web('GET', '/api/credits/ledger', { session })).toEqual([
      200,
      { entries: [] },
    ])
  })

  it('is read in pages, the newest first', async () => {
    const { id, session } = await newUser()
    for (let credits = 1; credits <= 12; credits++) await grant(id, credits)
    expect(await amounts(session, { limit: 3 })).toEqual([12, 11, 10])
    expect(await amounts(session, { limit: 3, offset: 9 })).toEqual([3, 2, 1])
    expect(await amounts(session, { limit: 5, offset: 10 })).toEqual([2, 1])
    expect(await amounts(session, { offset: 12 })).toEqual([])
    expect(await amounts(session, { limit: 0 })).toEqual([])
    expect(await amounts(session, { limit: 100000 })).toHaveLength(12)
  })

  it('returns exact fractions of a credit', async () => {
    const { id, session } = await newUser()
    await grant(id, 50)
    for (const ref of ['a', 'b', 'c']) await post(id, { microUsd: -10_001, reason: 'use', ref })
    expect(await ledgerOf(session)).toMatchObject([
      { amount: -0.10001, reason: 'use', balance: 49.69997 },
      { amount: -0.10001, balance: 49.79998 },
      { amount: -0.10001, balance: 49.89999 },
      { amount: 50, balance: 50 },
    ])
    expect((await usage.web('GET', '/api/credits', { session }))[1].credits).toBe(49.69997)
  })

  it.each(['limit=-1', 'limit=x', 'limit=1.5', 'offset=-1', 'offset=', 'limit=1e3'])(
    'rejects ?%s',
    async (query) => {
      const { session } = await newUser()
      const [status, { error }] = await usage.web('GET', `/api/credits/ledger?${query}`, {
        session,
      })
      expect([status, error]).toEqual([400, expect.stringMatching(/limit|offset/)])
    },
  )

  it('is the caller’s own, even if the request names another user', async () => {
    const [mine, theirs] = [await newUser(), await newUser()]
    await grant(theirs.id, 50)
    const requests = await usage.web('GET', `/api/credits/ledger?userId=${theirs.id}`, {
      session: mine.session,
      headers: { 'x-user-id': theirs.id },
    })
    expect(requests).toEqual([200, { entries: [] }])
    expect((await usage.web('GET', '/api/credits/ledger'))[0]).toBe(401)
    expect((await usage.web('GET', '/api/credits/ledger', { session: 'nonsense' }))[0]).toBe(401)
    await usage.table.delete({ pk: userPartition(mine.id), sk: profileKey })
    expect((await usage.web('GET', '/api/credits/ledger', mine))[0]).toBe(401)
  })
})

it('a balance older than the ledger is kept as its opening balance', async () => {
  const { id, session } = await newUser()
  const profile = { pk: userPartition(id), sk: profileKey }
  await usage.table.update(profile, {
    set: { credits: 10 },
    remove: ['creditMicroUsd', 'entityVersion'],
  })
  const balance = async () => (await usage.web('GET', '/api/credits', { session }))[1].credits
  expect(await balance()).toBe(10)
  await grant(id, 5)
  expect(await balance()).toBe(15)
  expect(await ledgerOf(session)).toMatchObject([{ amount: 5, balance: 15 }])
})

it('a repeated grant is rejected', async () => {
  const { id, session } = await newUser()
  await Promise.allSettled(Array.from({ length: 5 }, () => grant(id, 50, 'ord_1')))
  await expect(grant(id, 50, 'ord_1')).rejects.toThrow('refused')
  expect(await amounts(session)).toEqual([50])
})
