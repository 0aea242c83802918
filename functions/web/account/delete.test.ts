import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Table } from '#shared/platform/table/port.ts'
import { endpointRows } from '#shared/signals/outbound-webhooks/rows.ts'
import { type Departures, startDepartures } from '#tests/support/billing/account-deletions.ts'
import { before } from '#tests/support/platform/recorded-table.ts'

let on: Departures

beforeAll(async () => {
  on = await startDepartures()
})
afterAll(() => on.close())
beforeEach(() => on.fleet.forget())

const path = '/api/account/delete'
const password = 'correct horse'

type Member = Awaited<ReturnType<Departures['member']>>

async function leave(
  { session }: Pick<Member, 'session'>,
  body: object = { password },
  over?: Table,
) {
  const answer = await on.routeOver(over)('POST', path, { session, body })
  return [answer.status, await answer.json()] as const
}

const rowOf = async ({ id }: Member) => on.table.get({ pk: `user#${id}`, sk: 'profile' })
const has = async (pk: string, sk: string) => (await on.table.get({ pk, sk })) !== undefined
const rowsOf = async (id: string, beginsWith: string) =>
  (await on.table.query({ pk: `user#${id}`, beginsWith })).items.length

const writes = new Set<keyof Table>(['put', 'update', 'delete', 'transact'])

/** A table whose process dies before its nth write. */
function dyingAt(nth: number): Table {
  let count = 0
  return before(on.table, (name) => {
    if (writes.has(name) && ++count >= nth) throw new Error('the process has died')
  })
}

describe('deleting an account', () => {
  it('revokes every access at once, frees the address, and keeps the records of payments', async () => {
    const member = await on.member()
    const agents = await on.agents(member.id, 2)
    expect(await leave(member)).toEqual([202, { success: true }])
    expect(await leave(member)).toEqual([401, { error: 'Unauthorized' }])
    expect(await has(`email#${member.email}`, 'email')).toBe(false)
    expect(await on.isDue(member.id)).toBe(true)
    expect(await on.carryOut(member.id)).toBe(true)
    expect(await on.run(agents)).toBe('--')
    expect(on.payments.asked.map(({ call }) => call)).toContain(
      `DELETE /v1/subscriptions/sub_${member.id}`,
    )
    expect(await rowsOf(member.id, 'session#')).toBe(0)
    expect(await rowsOf(member.id, 'audit#')).toBeGreaterThan(0)
    const row = await rowOf(member)
    expect(row).toMatchObject({ deletedAt: expect.any(String), plan: 'free' })
    expect(JSON.stringify(row)).not.toContain(member.email)
    expect(row).not.toHaveProperty('passwordHash')
    expect(await on.isDue(member.id)).toBe(false)
  })

  it('requires the right proof, and a wrong one changes nothing', async () => {
    const member = await on.member()
    const refused: [object, number][] = [
      [{}, 400],
      [{ password: '' }, 400],
      [{ password: 7 }, 400],
      [{ confirm: member.email }, 400],
      [{ password: 'wrong' }, 401],
    ]
    for (const [body, status] of refused) expect((await leave(member, body))[0]).toBe(status)
    expect(await rowOf(member)).not.toHaveProperty('deletedAt')
    expect(await on.carryOut(member.id)).toBe(false)
    expect((await leave(member))[0]).toBe(202)
  })

  it('deleting an account without a password requires the address, in any notation', async () => {
    const member = await on.member(undefined)
    const other = await on.member()
    await on.table.update({ pk: `user#${member.id}`, sk: 'profile' }, { remove: ['passwordHash'] })
    for (const body of [{}, { password }, { confirm: other.email }])
      expect((await leave(member, body))[0]).toBe(400)
    const pk = `user#${member.id}`
    const [session] = (await on.table.query({ pk, beginsWith: 'session#' })).items
    const signedIn = (minutes: number) => {
      const createdAt = new Date(Date.now() - minutes * 60_000).toISOString()
      return on.table.update({ pk, sk: String(session?.sk) }, { set: { createdAt } })
    }
    await signedIn(16)
    const [status, result] = await leave(member, { confirm: member.email })
    expect([status, (result as { code?: string }).code]).toEqual([403, 'SESSION_REQUIRED'])
    await signedIn(14)
    expect((await leave(member, { confirm: ` ${member.email.toUpperCase()} ` }))[0]).toBe(202)
    expect(await rowOf(other)).not.toHaveProperty('deletedAt')
  })

  it('requires a recent session', async () => {
    const member = await on.member()
    const call = on.routeOver()
    expect((await call('POST', path, { body: { password } })).status).toBe(401)
    const ended = before(on.table, async (name) => {
      // All sessions end while the password is verified.
      if (name !== 'transact') return
      await on.table.update({ pk: `user#${member.id}`, sk: 'profile' }, { set: { accessEpoch: 7 } })
    })
    expect((await leave(member, { password }, ended))[0]).toBe(401)
    expect(await rowOf(member)).not.toHaveProperty('deletedAt')
  })

  it('happens once under concurrent requests', async () => {
    const member = await on.member()
    const answers = await Promise.all(Array.from({ length: 4 }, () => leave(member)))
    expect(answers.filter(([status]) => status === 202)).toHaveLength(1)
    expect(answers.filter(([status]) => status === 401)).toHaveLength(3)
  })
})

describe('a process that is killed between any two writes', () => {
  it('a process that is killed between any two writes of the request has deleted all or nothing, and the schedule continues the work', async () => {
    const member = await on.member()
    for (let nth = 1; nth <= 4; nth++) {
      const [status] = await leave(member, { password }, dyingAt(nth))
      const gone = (await rowOf(member))?.deletedAt !== undefined
      expect([gone, gone && (await on.isDue(member.id))]).toEqual([gone, gone])
      expect(await has(`email#${member.email}`, 'email')).toBe(!gone)
      if (status !== 500) break
    }
    await leave(member)
    expect(await on.isDue(member.id)).toBe(true)
  })

  it('a process that is killed between any two writes of the job leaves no work undone', async () => {
    const member = await on.member()
    const agents = await on.agents(member.id, 3)
    const remaining = ['swarm#swm_1', 'webhook-delivery#whe_1#whd_1']
    for (const sk of remaining) await on.table.put({ pk: `user#${member.id}`, sk })
    const endpoint = {
      id: 'whe_1',
      userId: member.id,
      url: 'https://hooks.example/',
      events: ['agent.deleted' as const],
      secret: 'sealed',
      epoch: 0,
      createdAt: new Date().toISOString(),
    }
    await on.table.put(endpointRows.put({ userId: member.id, endpointId: 'whe_1' }, endpoint))
    await on.table.put({ pk: 'provider#idp#a#b', sk: 'link', userId: member.id })
    await leave(member)
    await on.table.put({ pk: `user#${member.id}`, sk: 'provider#idp#a#b' })
    let done = false
    for (let nth = 1; !done && nth < 40; nth++) {
      expect(await on.isDue(member.id)).toBe(true)
      done = await on.carryOut(member.id, dyingAt(nth)).catch(() => false)
    }
    expect(done).toBe(true)
    expect(await on.run(agents)).toBe('---')
    expect(await has('provider#idp#a#b', 'link')).toBe(false)
    const gone = ['session#', 'key#', 'provider#', 'swarm#', 'webhook-', 'unwanted-subscription#']
    for (const prefix of gone)
      expect([prefix, await rowsOf(member.id, prefix)]).toEqual([prefix, 0])
    expect(await on.isDue(member.id)).toBe(false)
    expect(await on.carryOut(member.id)).toBe(true)
  })

  it('cancels a checkout that is paid after the deletion', async () => {
    const member = await on.member()
    await leave(member)
    await on.carryOut(member.id)
    await on.plan(member.id, 'network')
    on.payments.asked.length = 0
    await on.carryOut(member.id)
    expect(on.payments.asked.map(({ call }) => call)).toEqual([
      `DELETE /v1/subscriptions/sub_${member.id}`,
    ])
    expect(await rowOf(member)).toMatchObject({ subscription: { id: null, status: 'canceled' } })
  })
})
