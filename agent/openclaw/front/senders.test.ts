import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { useFront } from '../testing/front.ts'

const on = useFront({ DISCORD_BOT_TOKEN: 'a-token', DISCORD_SENDERS: '77' })

const minutes = (n: number) => new Date(Date.now() - n * 60_000).toISOString()

/** Writes into OpenClaw's own database, as its docs describe it (channels/pairing). */
async function wait(...rows: [id: string, code: string, at: string, meta: object][]) {
  await mkdir(join(on.dir, 'openclaw/state'), { recursive: true })
  const database = new DatabaseSync(join(on.dir, 'openclaw/state/openclaw.sqlite'))
  database.exec(
    'CREATE TABLE channel_pairing_requests (channel_key, account_id, request_id, code, created_at, last_seen_at, meta_json)',
  )
  const insert = database.prepare('INSERT INTO channel_pairing_requests VALUES (?,?,?,?,?,?,?)')
  for (const [id, code, at, meta] of rows)
    insert.run('discord', 'default', id, code, at, at, JSON.stringify(meta))
  database.close()
}

const list = async (channel = 'discord') => (await on.ask(`/senders/${channel}`)).json()
const approve = (approved: unknown, revision = 1, blocked?: unknown) =>
  on.ask(`/senders/discord?revision=${revision}`, {
    method: 'PUT',
    body: JSON.stringify({ approved, blocked }),
  })
const allowed = async () => {
  const text = await readFile(join(on.dir, 'openclaw/openclaw.json'), 'utf8')
  return (JSON.parse(text) as { channels: { discord: object } }).channels.discord
}

test('waiting senders get their codes while the codes are valid', async () => {
  expect(await list()).toEqual({ senders: [] })
  await wait(
    ['12', 'OLDCODE2', minutes(61), {}],
    ['34', 'ABCD2345', minutes(5), { firstName: 'Ann', lastName: 'Lee', username: 'ann' }],
    ['56', 'EFGH6789', minutes(1), { username: 'bob', accountId: 'default' }],
  )
  expect(await list()).toEqual({
    senders: [
      { id: '34', name: 'Ann Lee (@ann)', code: 'ABCD2345' },
      { id: '56', name: '@bob', code: 'EFGH6789' },
    ],
  })
  expect((await on.ask('/senders/telegram')).status).toBe(404)
  expect((await on.ask('/senders/..%2Fstats')).status).toBe(404)
  expect((await on.ask('/senders/discord', { headers: {} })).status).toBe(401)
})

test('approved senders are in OpenClaw’s configuration, and neither approved nor blocked senders wait', async () => {
  await wait(['34', 'ABCD2345', minutes(5), {}], ['56', 'EFGH6789', minutes(1), {}])
  const called: { method: string; params: Record<string, unknown> }[] = []
  const sockets = new WebSocketServer({ server: on.runtime })
  sockets.on('connection', (socket) => {
    socket.send(JSON.stringify({ type: 'event', event: 'connect.challenge' }))
    socket.on('message', (data) => {
      const { id, ...call } = JSON.parse(String(data)) as (typeof called)[number] & { id: string }
      called.push(call)
      const requests = ['34', '56'].map((senderId) => ({
        requestId: `r${senderId}`,
        accountId: 'default',
        senderId,
      }))
      socket.send(JSON.stringify({ type: 'res', id, ok: true, payload: { requests } }))
    })
  })
  expect((await approve(['77', '34'], 2, ['56'])).status).toBe(200)
  expect(await allowed()).toEqual({
    enabled: true,
    dmPolicy: 'pairing',
    allowFrom: ['77', '34'],
    token: '${DISCORD_BOT_TOKEN}',
  })
  expect(called.filter(({ method }) => method === 'channels.pairing.dismiss')).toMatchObject([
    { params: { channel: 'discord', accountId: 'default', requestId: 'r34' } },
    { params: { channel: 'discord', accountId: 'default', requestId: 'r56' } },
  ])
  sockets.close()
  // An older revision changes nothing. A newer one replaces the whole list.
  await approve(['77'], 1)
  expect(await allowed()).toMatchObject({ allowFrom: ['77', '34'] })
  await approve([], 3)
  expect(await allowed()).toMatchObject({ allowFrom: [] })
  expect((await approve([], 4, ['*'])).status).toBe(400)
  for (const bad of [['*'], ['a'], 'x', ['1'.repeat(21)]])
    expect((await approve(bad, 4)).status).toBe(400)
})
