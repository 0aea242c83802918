import { readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { Home, token } from '../testing/gateway.ts'
import { useAgent } from '../testing/use.ts'
import { Memory } from './memory.ts'

const on = useAgent()

beforeEach(async () => {
  await on.gateway.fetch('/memory', { method: 'DELETE' })
})

function write(key: string, memory: unknown): Promise<Response> {
  return on.gateway.fetch(`/memory/${key}`, { method: 'PUT', body: JSON.stringify({ memory }) })
}

test('writes, lists, replaces and removes notes', async () => {
  expect(await on.gateway.json('/memory')).toEqual({ memory: {}, count: 0, lastUpdated: null })
  expect(await (await write('user.name', 'Ann')).json()).toEqual({
    success: true,
    key: 'user.name',
  })
  await write('likes', 'tea')
  await write('user.name', 'Ann Lee')
  expect(await on.gateway.json('/memory')).toEqual({
    memory: { 'user.name': 'Ann Lee', likes: 'tea' },
    count: 2,
    lastUpdated: expect.stringMatching(/Z$/),
  })
  expect(await readFile(join(on.home.workspace, 'memory', 'likes.md'), 'utf8')).toBe('tea')

  expect((await on.gateway.fetch('/memory/likes', { method: 'DELETE' })).status).toBe(200)
  expect((await on.gateway.fetch('/memory/likes', { method: 'DELETE' })).status).toBe(404)
  expect(await on.gateway.json('/memory', { method: 'DELETE' })).toEqual({
    success: true,
    removed: 1,
  })
  expect(await on.gateway.json('/memory')).toMatchObject({ count: 0 })
})

test('adds notes to the prompt, the newest first, up to a limit', async () => {
  await write('old', 'o'.repeat(100_000))
  await write('new', 'Her name is Ann.')
  await on.gateway.say('ann', 'hi')
  const system = on.upstream.lastCall.body.messages[0]
  expect(system?.role).toBe('system')
  expect(system?.content).toMatch(/^## Memory\n### new\nHer name is Ann\.\n### old\nooo/)
  expect(system?.content.length).toBeLessThan(16_100)
})

test('lists the newest first, even if several have the same time', async () => {
  await using own = await Home.make()
  const memory = new Memory(own.workspace)
  const keys = Array.from({ length: 30 }, (_, index) => `k${index + 10}`)
  for (const key of keys) await memory.write(key, key)
  expect((await memory.list()).map(({ key }) => key)).toEqual(keys.toReversed())
})

test.each([
  'a'.repeat(65),
  '.hidden',
  '..',
  '%2e%2e',
  '%2e%2e%2fsessions',
  '..%2f..%2fetc%2fpasswd',
  '..%5cx',
  'a%00b',
  'a%2fb',
  'a%20b',
  '%C3%A9',
])('rejects the key %s', async (key) => {
  // A raw socket, because fetch would resolve the dot segments.
  const response = await rawRequest('PUT', `/memory/${key}`)
  expect(response).toMatch(/^HTTP\/1\.1 (400|404) /)
  expect(await readdir(on.home.workspace)).toEqual(expect.not.arrayContaining(['x', 'etc']))
  expect(await readdir(join(on.home.workspace, 'memory'))).toEqual([])
})

test.each([
  ['a number', 1],
  ['nothing', undefined],
  ['100,001 characters', 'x'.repeat(100_001)],
])('rejects %s as a note', async (_, memory) => {
  expect((await write('k', memory)).status).toBe(400)
  expect(await on.gateway.json('/memory')).toMatchObject({ count: 0 })
})

test('replaces a symbolic link instead of writing through it', async () => {
  const outside = join(on.home.workspace, 'outside.txt')
  await writeFile(outside, 'untouched')
  await symlink(outside, join(on.home.workspace, 'memory', 'link.md'))
  await write('link', 'mine')
  expect(await readFile(outside, 'utf8')).toBe('untouched')
  expect(await on.gateway.json('/memory')).toMatchObject({ memory: { link: 'mine' } })
})

test('leaves no partial note after fifty concurrent writes', async () => {
  const texts = Array.from({ length: 50 }, (_, index) => `${index}:${'x'.repeat(20_000)}`)
  await Promise.all(texts.map((text) => write('k', text)))
  const { memory } = (await on.gateway.json('/memory')) as { memory: { k: string } }
  expect(texts).toContain(memory.k)
  expect(await readdir(join(on.home.workspace, 'memory'))).toEqual(['k.md'])
})

async function rawRequest(method: string, path: string): Promise<string> {
  const body = '{"memory":"x"}'
  const socket = connect(Number(new URL(on.gateway.url).port), '127.0.0.1')
  socket.end(
    `${method} ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  )
  let answer = ''
  for await (const chunk of socket as AsyncIterable<Buffer>) answer += chunk.toString('utf8')
  return answer
}
