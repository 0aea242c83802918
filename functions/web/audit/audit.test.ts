import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { audit } from '#shared/platform/identity/audit.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { callerOf, type UserCall } from '#tests/support/http/caller.ts'
import { eventContext } from '#tests/support/platform/context.ts'
import { recording } from '#tests/support/platform/recorded-table.ts'
import * as group from '../audit.ts'

type Line = Readonly<Record<string, unknown>>

let keys: Keys
let ada: { id: string; session: string }
let users = 0

beforeAll(async () => {
  keys = await startKeys()
})
afterAll(() => keys.close())
beforeEach(async () => {
  ada = await keys.signUp(`ada-${++users}@b.co`)
})

const call = (path: string, options: UserCall = {}, table = keys.table) =>
  callerOf(group, { table })('GET', path, options)

async function linesOf(response: Response): Promise<Line[]> {
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toMatch(/^application\/x-ndjson/)
  const text = await response.text()
  expect(text === '' || text.endsWith('\n')).toBe(true)
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line)
}

const read = async (since: string | number = '', session = ada.session) =>
  linesOf(await call(`/api/audit${since === '' ? '' : `?since=${since}`}`, { session }))

/** Adds entries to Ada's chain, as provider events do. */
async function add(count: number) {
  for (let i = 0; i < count; i++) {
    const change = { userId: ada.id, target: `evt_${i}`, after: { i } }
    const entry = await audit(eventContext(keys.table), 'credits.granted', change)
    expect(await tryCommit(keys.table, { entry })).toBeUndefined()
  }
}

/** Verifies the chain as described in contract.md 9, without code of the platform. */
function expectChain(lines: readonly Line[], previous = '0'.repeat(64), after = 0) {
  let last: unknown = previous
  for (const [i, { hash, ...said }] of lines.entries()) {
    expect(said.seq).toBe(after + i + 1)
    expect(said.previous).toBe(last)
    const sorted = Object.fromEntries(Object.entries(said).sort(([a], [b]) => (a < b ? -1 : 1)))
    expect(hash).toBe(createHash('sha256').update(JSON.stringify(sorted)).digest('hex'))
    last = hash
  }
}

describe('GET /api/audit', () => {
  it('returns the caller’s own entries, a line each, chained from the first', async () => {
    const key = await keys.newKey(ada.session)
    await keys.call('DELETE', `/api/keys/${key.id}`, { session: ada.session })
    const eve = await keys.signUp(`eve-${users}@b.co`)
    const lines = await read()
    expect(lines.map(({ action }) => action)).toEqual([
      'account.created',
      'key.created',
      'key.deleted',
    ])
    expectChain(lines)
    const fields = 'seq at actor action target before after requestId previous hash'.split(' ')
    for (const line of lines) expect(Object.keys(line)).toEqual(fields)
    const [, made] = lines
    expect(made).toMatchObject({ actor: `user:${ada.id}`, target: key.id, before: null })
    expect(made?.requestId).toMatch(/^req_/)
    expect(new Date(String(made?.at)).toISOString()).toBe(made?.at)
    expect(JSON.stringify(await read('', eve.session))).not.toContain(ada.id)
  })

  it('returns the entries after `since`, and no entry after the last', async () => {
    await add(3)
    const all = await read()
    expect(await read(0)).toEqual(all)
    expect(await read(2)).toEqual(all.slice(2))
    expectChain(await read(2), String(all[1]?.hash), 2)
    for (const since of [4, 5, '999999999999', '9'.repeat(40)])
      expect(await read(since)).toEqual([])
  })

  it.each(['-1', '1.5', 'x', '', '1e3', '%201', '٣'])('rejects since=%s', async (since) => {
    const answer = await call(`/api/audit?since=${since}`, { session: ada.session })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: expect.stringContaining('since') })
  })

  it('accepts a session and a key that may read, and no other caller', async () => {
    const { key } = await keys.newKey(ada.session, 'reader', { scopes: ['read'] })
    const { key: chatter } = await keys.newKey(ada.session, 'chatter', { scopes: ['chat'] })
    expect(await linesOf(await call('/api/audit', { key }))).toHaveLength(3)
    expect((await call('/api/audit', { key: chatter })).status).toBe(403)
    for (const caller of [{}, { session: `${ada.id}.wrong` }, { key: 'sk_wrong' }])
      expect((await call('/api/audit', caller)).status).toBe(401)
  })

  it('reads page by page at its reader’s speed, and stops once the reader has disconnected', async () => {
    await add(420)
    const { table, calls } = recording(keys.table)
    const queries = () => calls.filter((name) => name === 'query').length
    const answer = await call('/api/audit', { session: ada.session }, table)
    expect(queries()).toBe(0)
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    expect(queries()).toBe(1)
    await reader.cancel()
    expect(queries()).toBe(1)
    const all = await read()
    expect(all).toHaveLength(421)
    expectChain(all)
  })
})
