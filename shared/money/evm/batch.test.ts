import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askAll, askEach, quantity } from './batch.ts'

let answer: (asked: { id: number }[]) => unknown
let url: string

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (text: string) => (body += text))
  request.on('end', () =>
    response.end(JSON.stringify(answer(JSON.parse(body) as { id: number }[]))),
  )
})
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const rpc = () => ({ url, setting: 'EVM_RPC_URL' as const })
const count = { method: 'eth_blockNumber', params: [], form: quantity() }

it('the requests of one batch are answered or rejected separately, in any order', async () => {
  answer = ([first, second, third]) => [
    { id: third?.id, result: '0x3', error: null },
    { id: second?.id, error: { code: -32_000, message: 'already known' } },
    { id: first?.id, result: '0x1' },
  ]
  expect(await askEach(rpc(), [count, count, count])).toEqual([
    { result: 1n },
    { refused: 'already known' },
    { result: 3n },
  ])
  await expect(askAll(rpc(), [count, count, count])).rejects.toMatchObject({ kind: 'unavailable' })
})

it('more than a hundred requests are sent in several batches', async () => {
  const sizes: number[] = []
  answer = (asked) => {
    sizes.push(asked.length)
    return asked.map(({ id }) => ({ id, result: '0x1' }))
  }
  const questions = Array.from({ length: 250 }, () => count)
  expect(await askAll(rpc(), questions)).toHaveLength(250)
  expect(sizes).toEqual([100, 100, 50])
})

it.each<[string, unknown]>([
  ['one response for all', { id: 1, error: { code: -32_600, message: 'no batches' } }],
  ['a missing response', []],
  ['a response in another format', [{ id: 0, result: 'latest' }]],
  ['a null response', [{ id: 0, result: null }]],
])('%s is an invalid response', async (_, given) => {
  answer = () => given
  await expect(askEach(rpc(), [count])).rejects.toMatchObject({ kind: 'unavailable' })
})
