import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { until } from '../../gateway/testing/gateway.ts'
import { bearer, useFront } from '../testing/front.ts'

let platform: Server
let names: string[]
let asked: unknown[]
const address = {
  get AI_BASE_URL() {
    return `http://127.0.0.1:${(platform.address() as AddressInfo).port}/v1`
  },
}

beforeAll(async () => {
  platform = createServer(({ url, headers }, response) => {
    asked.push([url, headers.authorization])
    response.end(JSON.stringify({ connections: names.map((name) => ({ name })) }))
  }).listen(0, '127.0.0.1')
  await once(platform, 'listening')
})
afterAll(() => void platform.close())
beforeEach(() => {
  names = ['notes', 'wiki']
  asked = []
})

const on = useFront(address)

const servers = async () => {
  const text = await readFile(join(on.dir, 'openclaw/openclaw.json'), 'utf8').catch(() => '{}')
  const { mcp } = JSON.parse(text) as { mcp?: { servers: object } }
  return Object.keys(mcp?.servers ?? {})
}

test('a running OpenClaw gets new connections as servers, and the platform’s word is not passed on', async () => {
  await on.ask('/v1/models')
  expect(asked).toEqual([])
  await on.ask('/v1/models', { headers: { ...bearer, 'platform-connections': '1' } })
  await until(async () => (await servers()).join() === 'notes,wiki')
  expect(asked).toEqual([['/connections', 'Bearer ak_1']])
  for (const { headers } of on.asked) expect(headers).not.toHaveProperty('platform-connections')
})

test('a caller without the agent’s token causes no request for connections', async () => {
  await on.ask('/v1/models', { headers: { 'platform-connections': '1' } })
  expect(asked).toEqual([])
})
