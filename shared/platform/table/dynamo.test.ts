import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { dynamoTable } from './dynamo.ts'

let database: TestTable

beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

it('finds the item of the longest key, and no item under a longer one', async () => {
  const { byClient: table } = database
  const key = { pk: 'p'.repeat(2048), sk: 's'.repeat(1024) }
  await table.put({ ...key, value: 1 })
  expect(await table.get(key)).toEqual({ ...key, value: 1 })
  expect(await table.get({ pk: `${key.pk}p`, sk: 's' })).toBeUndefined()
  expect(await table.get({ pk: 'p', sk: `${key.sk}s` })).toBeUndefined()
  expect(await table.get({ pk: 'p', sk: 'é'.repeat(600) })).toBeUndefined()
})

it('updates attributes of any name', async () => {
  const { byClient: table } = database
  const key = { pk: 'names', sk: 'row' }
  const change = { set: { 'a-b': 1, a_b: 2, 'x.y': 3 }, add: { 'c-d': 4, status: 5 } }
  expect(await table.update(key, change)).toMatchObject({ ...change.set, ...change.add })
  await table.transact([{ update: key, add: { 'c-d': 1 }, remove: ['x.y'] }])
  const changed = { ...key, 'a-b': 1, a_b: 2, 'c-d': 5, status: 5 }
  expect(await table.get(key)).toEqual(changed)
})

/** The database behind a server that answers the first `conflicts` writes with a transaction conflict. */
async function busyDatabase(conflicts: number) {
  const { endpoint, tableName } = database
  let left = conflicts
  const server = createServer((given, answer) => {
    const target = String(given.headers['x-amz-target'])
    const transaction = target.endsWith('TransactWriteItems')
    if (/Update|Put|Delete|TransactWrite/.test(target) && left-- > 0) {
      const reasons = transaction && { CancellationReasons: [{ Code: 'TransactionConflict' }] }
      const name = transaction ? 'TransactionCanceledException' : 'TransactionConflictException'
      given.resume()
      answer.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' })
      answer.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, ...reasons }))
      return
    }
    const { method, headers, url } = given
    const onward = request(new URL(url ?? '/', endpoint), { method, headers }, (found) => {
      answer.writeHead(found.statusCode ?? 500, found.headers)
      found.pipe(answer)
    })
    given.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const table = dynamoTable({ tableName, endpoint: `http://127.0.0.1:${port}` })
  return { table, close: () => server.close() }
}

it('rejects an update that changes no attribute, and names the function for optional fields', async () => {
  const { table } = database
  const update = { set: {}, if: 'attribute_exists(pk)' }
  await expect(table.update({ pk: 'empty', sk: 'x' }, update)).rejects.toThrow('use updateFields')
})

it('retries a write after a transaction conflict, with one effect', async () => {
  const key = { pk: 'busy', sk: 'row' }
  const { table, close } = await busyDatabase(2)
  await table.update(key, { add: { count: 1 } })
  expect(await table.get(key)).toMatchObject({ count: 1 })
  close()
  const again = await busyDatabase(2)
  await again.table.transact([{ update: key, add: { count: 1 } }])
  expect(await again.table.get(key)).toMatchObject({ count: 2 })
  again.close()
})

it('reads more items than one request returns, in the order of their keys', async () => {
  const { byClient: table } = database
  const keys = Array.from({ length: 230 }, (_, i) => ({ pk: 'many', sk: String(i) }))
  await Promise.all(keys.filter((_, i) => i % 2 === 0).map((key) => table.put({ ...key })))
  const found = await table.getMany(keys)
  expect(found).toEqual(keys.map((key, i) => (i % 2 === 0 ? key : undefined)))
})

it('finds no item for a key longer than any key', async () => {
  const { byClient: table } = database
  const [pk, sk] = ['p'.repeat(2048), 's'.repeat(1024)]
  await table.put({ pk, sk })
  const longer = [
    { pk: `${pk}p`, sk },
    { pk, sk: `${sk}s` },
  ]
  expect(await table.getMany([...longer, { pk, sk }])).toEqual([undefined, undefined, { pk, sk }])
  for (const key of longer) expect(await table.get(key)).toBeUndefined()
})
