import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endSessions } from '#shared/accounts/users/end-sessions.ts'
import { renewAccess } from '#shared/accounts/users/renew-access.ts'
import { findUser } from '#shared/accounts/users/user.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import { eventContext } from '#tests/support/platform/context.ts'
import { before, recording } from '#tests/support/platform/recorded-table.ts'

let keys: Keys

beforeAll(async () => {
  keys = await startKeys()
})
afterAll(() => keys.close())

async function newHolder(email: string) {
  const user = await keys.signUp(email)
  const made = await keys.newKey(user.session)
  const row = { pk: `user#${user.id}`, sk: `key#${await sha256Hex(made.key)}` }
  return { ...user, key: made.key, keyId: made.id, row }
}

/** Returns the last use of a user's only key. */
async function lastUsed(session: string): Promise<string | null> {
  const shown = await platformOver(keys.call, { session }).keys.list()
  return shown[0]?.lastUsed ?? null
}

describe('a key as bearer', () => {
  it('authenticates its user, in exactly one read', async () => {
    const { session, key } = await newHolder('counts@b.co')
    const { table, calls } = recording(keys.table)
    const process = keys.startProcess(table)
    const bySession = await (await keys.call('GET', '/api/keys', { session })).json()
    await process('GET', '/api/keys', { key })
    await eventually(async () => expect(await lastUsed(session)).not.toBeNull())
    calls.length = 0
    const answer = await process('GET', '/api/keys', { key })
    expect(answer.status).toBe(200)
    expect(Object.keys((await answer.json()) as object)).toEqual(Object.keys(bySession as object))
    // The key first, then the requested data.
    expect(calls).toEqual(['getMany', 'query'])
  })

  it('takes precedence over a cookie, even if it is wrong', async () => {
    const ada = await newHolder('ada@b.co')
    const bob = await newHolder('bob@b.co')
    const both = { session: ada.session, key: bob.key }
    const shown = await platformOver(keys.call, both).keys.list()
    expect(shown.map(({ id }) => id)).toEqual([bob.keyId])
    const wrong = { session: ada.session, key: `sk_${'0'.repeat(64)}` }
    expect((await keys.call('GET', '/api/keys', wrong)).status).toBe(401)
  })

  it('is accepted only complete and unchanged', async () => {
    const { key } = await newHolder('whole@b.co')
    const text = fc.oneof(
      fc.stringMatching(/^[\x21-\x7e]{1,80}$/),
      fc.constantFrom(key.slice(0, -1), key.slice(3), `${key}0`, key.toUpperCase()),
    )
    await fc.assert(
      fc.asyncProperty(text, async (bearer) => {
        expect((await keys.call('GET', '/api/keys', { key: bearer })).status).toBe(401)
      }),
      { numRuns: 200 },
    )
  })

  it('is rejected once its user is deleted', async () => {
    const { id, key } = await newHolder('left@b.co')
    await keys.table.delete({ pk: `user#${id}`, sk: 'profile' })
    expect((await keys.call('GET', '/api/keys', { key })).status).toBe(401)
  })
})

describe('lastUsed', () => {
  it('is updated at most once a minute', async () => {
    const { session, key, row } = await newHolder('minute@b.co')
    await keys.call('GET', '/api/keys', { key })
    await eventually(async () => expect(await lastUsed(session)).not.toBeNull())
    const first = await lastUsed(session)
    const { table, calls } = recording(keys.table)
    const process = keys.startProcess(table)
    for (let i = 0; i < 5; i++) await process('GET', '/api/keys', { key })
    expect(calls).not.toContain('update')
    expect(await lastUsed(session)).toBe(first)
    const aMinuteAgo = new Date(Date.now() - 60_001).toISOString()
    await keys.table.update(row, { set: { lastUsed: aMinuteAgo } })
    await process('GET', '/api/keys', { key })
    await eventually(async () =>
      expect(Date.parse((await lastUsed(session)) ?? '')).toBeGreaterThan(Date.parse(aMinuteAgo)),
    )
  })

  it('is updated by validation too', async () => {
    const { session, key } = await newHolder('validated@b.co')
    await keys.validate(key)
    await eventually(async () => expect(await lastUsed(session)).not.toBeNull())
  })

  it.each([
    ['hangs', () => new Promise<void>(() => {})],
    ['fails', () => Promise.reject(new Error('the table is away'))],
  ])('neither delays nor fails a request if its write %s', async (_, update) => {
    const { session, key } = await newHolder(`write-${Math.random()}@b.co`)
    const table = before(keys.table, (name) => (name === 'update' ? update() : undefined))
    const answer = await keys.startProcess(table)('GET', '/api/keys', { key })
    expect(answer.status).toBe(200)
    expect(await lastUsed(session)).toBeNull()
  })

  it('restores no deleted key', async () => {
    const { session, key, keyId, row } = await newHolder('back@b.co')
    const path = `/api/keys/${keyId}`
    const settled = Promise.withResolvers<void>()
    const table: Table = {
      ...keys.table,
      update: async (...given) => {
        await keys.call('DELETE', path, { session })
        return keys.table.update(...given).finally(settled.resolve)
      },
    }
    await keys.startProcess(table)('GET', '/api/keys', { key })
    await settled.promise
    expect(await keys.table.get(row)).toBeUndefined()
  })
})

describe('a request for a new key', () => {
  /** Requests a key with a request that passes the guard before `event` and commits after it. */
  async function askAcross(event: () => Promise<unknown>, credential: object) {
    const table = before(keys.table, async (name) => {
      if (name === 'transact') await event()
    })
    const body = { name: 'too late' }
    const answer = await keys.startProcess(table)('POST', '/api/keys', { ...credential, body })
    return answer.status
  }

  const stored = async (userId: string) =>
    (await keys.table.query({ pk: `user#${userId}`, beginsWith: 'key#' })).items.length

  it('is rejected once the session has ended', async () => {
    const { id, session } = await keys.signUp('signout@b.co')
    const tokenHash = await sha256Hex(session.split('.')[1] ?? '')
    const end = () => keys.table.delete({ pk: `user#${id}`, sk: `session#${tokenHash}` })
    expect(await askAcross(end, { session })).toBe(401)
    expect(await stored(id)).toBe(0)
  })

  it('is rejected once all sessions have ended', async () => {
    const { id, session } = await keys.signUp('everywhere@b.co')
    expect(
      await askAcross(() => endSessions(eventContext(keys.table), { userId: id }), { session }),
    ).toBe(401)
    expect(await stored(id)).toBe(0)
  })

  it('is rejected once access was renewed, even while the void session’s row is still there', async () => {
    const { id, session } = await keys.signUp('renewed@b.co')
    const renew = async () => {
      const user = await findUser(keys.table, id)
      expect(await renewAccess(eventContext(keys.table), { user: user! })).toBe('renewed')
    }
    expect(await askAcross(renew, { session })).toBe(401)
    expect(await stored(id)).toBe(0)
  })

  it('is rejected once the key of the request was deleted', async () => {
    const { id, session } = await keys.signUp('chain@b.co')
    const { id: keyId, key } = await keys.newKey(session, 'admin', { scopes: ['admin'] })
    const remove = () => keys.call('DELETE', `/api/keys/${keyId}`, { session })
    expect(await askAcross(remove, { key })).toBe(401)
    expect(await stored(id)).toBe(0)
  })

  it('is accepted from an admin key as from a session', async () => {
    const { id, session } = await keys.signUp('makes@b.co')
    const { key } = await keys.newKey(session, 'admin', { scopes: ['admin'] })
    const body = { name: 'second' }
    expect((await keys.call('POST', '/api/keys', { key, body })).status).toBe(201)
    expect(await stored(id)).toBe(2)
  })
})
