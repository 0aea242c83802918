/**
 * A minimal gateway with the same table operations as ours: node:http in and out over kept connections, reads of the
 * caller's rows, a hold, the response forwarded unread, and then the settlement with its records. The table is in memory, or
 * in the folder BENCH_DATABASE, if that is set.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Item } from '#shared/platform/table/port.ts'
import { durableTable } from '../table/durable.ts'
import { memoryTable } from '../table/memory.ts'

const [provider = ''] = process.argv.slice(2)
const items = JSON.parse(readFileSync(process.env.BENCH_ITEMS ?? '', 'utf8')) as Item[]
const dir = process.env.BENCH_DATABASE
const table = dir === undefined ? memoryTable(items) : durableTable(dir, items)
const owners = new Map(items.filter(({ sk }) => sk !== 'profile').map(({ sk, pk }) => [sk, pk]))
const agent = new Agent({ keepAlive: true })
const url = new URL(`${provider}/chat/completions`)
const options = { agent, method: 'POST', host: url.hostname, port: url.port, path: url.pathname }
let calls = 0

const server = createServer((incoming, out) => {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => void answer(Buffer.concat(chunks), incoming.headers.authorization ?? ''))

  async function answer(body: Buffer, authorization: string): Promise<void> {
    const hash = createHash('sha256').update(authorization.slice(7)).digest('hex')
    const pk = [...owners].find(([sk]) => sk.endsWith(hash))?.[1] ?? ''
    await table.getMany([
      { pk, sk: 'profile' },
      { pk, sk: `key#${hash}` },
      { pk, sk: 'quota' },
    ])
    await table.update({ pk, sk: 'quota' }, { add: { committed: 600 } })
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const onward = request({ ...options, headers }, (answered) => {
      out.writeHead(answered.statusCode ?? 502, {
        'content-type': answered.headers['content-type'],
        ...(answered.headers['content-length'] && {
          'content-length': answered.headers['content-length'],
        }),
      })
      answered.pipe(out)
      answered.on('end', () => void settle(pk))
    })
    onward.end(body)
  }
})

function settle(pk: string): Promise<void> {
  const id = String(calls++)
  const counted = (sk: string) => ({ update: { pk, sk }, add: { calls: 1, tokens: 145 } })
  return table.transact([
    { update: { pk, sk: 'quota' }, add: { used: 145, committed: -455 } },
    { put: { pk, sk: `usage#${id}`, tokens: 145 } },
    counted('day'),
    counted('model'),
    counted('all'),
  ])
}

server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
)
process.on('disconnect', () => process.exit())
