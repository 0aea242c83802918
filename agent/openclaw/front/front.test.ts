import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import {
  createServer,
  get,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type RequestListener,
  type Server,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLog } from '../../gateway/log.ts'
import { pieces, token } from '../../gateway/testing/gateway.ts'
import { createFront, type Front } from './server.ts'
import { readFrontSettings } from './settings.ts'

let dir: string
let runtime: Server
let front: Front
let url: string
let answers: RequestListener
let asked: { path: string | undefined; headers: IncomingHttpHeaders }[]
const lines: string[] = []

/** The process before OpenClaw, with a server that does as each test says at OpenClaw's place. */
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'agent-front-'))
  asked = []
  answers = (_, response) => void response.end('fine')
  runtime = createServer((incoming, response) => {
    asked.push({ path: incoming.url, headers: incoming.headers })
    answers(incoming, response)
  }).listen(0, '127.0.0.1')
  await once(runtime, 'listening')
  const settings = readFrontSettings({
    AGENT_ID: 'agt_1',
    GATEWAY_TOKEN: token,
    AI_BASE_URL: 'https://backend.example/v1',
    AI_API_KEY: 'ak_1',
    AGENT_DATA_DIR: dir,
  })
  const { port } = runtime.address() as AddressInfo
  const log = createLog(settings, (line) => void lines.push(line))
  front = createFront({ settings, child: { pid: process.pid, port }, log })
  front.server.listen(0, '127.0.0.1')
  await once(front.server, 'listening')
  url = `http://127.0.0.1:${(front.server.address() as AddressInfo).port}`
})
afterEach(async () => {
  for (const server of [front.server, runtime]) {
    server.closeAllConnections()
    server.close()
  }
  await rm(dir, { recursive: true, force: true })
})

const bearer = { authorization: `Bearer ${token}` }
const json = { ...bearer, 'content-type': 'application/json' }
const ask = (path: string, init: RequestInit = {}) => fetch(url + path, { headers: json, ...init })

async function stopRuntime(): Promise<void> {
  runtime.closeAllConnections()
  runtime.close()
  await once(runtime, 'close')
}

describe('health', () => {
  const health = async (path: string) => {
    const answer = await fetch(url + path)
    return [answer.status, await answer.json()]
  }

  test.each([
    [{ ready: true, failing: [], uptimeMs: 5, eventLoop: {} }, 200, []],
    [{ ready: false, failing: ['startup-sidecars'], uptimeMs: 5 }, 503, ['startup-sidecars']],
    [{ ready: false }, 503, ['runtime']],
    [[], 503, ['runtime']],
    [null, 503, ['runtime']],
  ])('is %o in the platform’s words', async (said, status, failing) => {
    answers = (_, response) => void response.end(JSON.stringify(said))
    const body = { ready: status === 200, failing, uptimeMs: expect.any(Number) }
    expect(await health('/readyz')).toEqual([status, body])
    expect(await health('/healthz')).toEqual([200, { ok: true, status: 'live' }])
  })

  test('is none while OpenClaw does not answer, or talks otherwise', async () => {
    answers = (_, response) => void response.end('<html>')
    expect(await health('/readyz')).toMatchObject([503, { ready: false, failing: ['runtime'] }])
    await stopRuntime()
    expect(await health('/readyz')).toMatchObject([503, { ready: false, failing: ['runtime'] }])
    expect(await health('/healthz')).toEqual([503, { ok: false, status: 'live' }])
  })

  test('ends with the stop', async () => {
    answers = (_, response) => void response.end('{"ready":true}')
    front.drain()
    expect(await health('/readyz')).toMatchObject([503, { ready: false, failing: ['draining'] }])
  })
})

describe('what is not asked of the agent itself', () => {
  test('is passed on with its token, without what concerns the connection or its origin', async () => {
    answers = (_, response) => {
      response.writeHead(418, { 'x-said': 'yes', connection: 'x-private', 'x-private': 'no' })
      response.end('short')
    }
    const headers = {
      ...bearer,
      'x-forwarded-for': '10.0.0.1',
      forwarded: 'for=10.0.0.1',
      'x-real-ip': '10.0.0.1',
      'x-openclaw-session-key': 'kept',
    }
    const answer = await fetch(`${url}/tools/invoke?a=b`, { headers })
    expect([answer.status, await answer.text()]).toEqual([418, 'short'])
    expect([answer.headers.get('x-said'), answer.headers.get('x-private')]).toEqual(['yes', null])
    expect(asked[0]?.path).toBe('/tools/invoke?a=b')
    expect(asked[0]?.headers).toMatchObject({ ...bearer, 'x-openclaw-session-key': 'kept' })
    expect(asked[0]?.headers.host).toMatch(/^127\.0\.0\.1:\d+$/)
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip'])
      expect(asked[0]?.headers).not.toHaveProperty(name)
  })

  test('comes back as it is said, and is heard to its end', async () => {
    const more = Promise.withResolvers<void>()
    answers = async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: one\n\n')
      await more.promise
      response.end('data: two\n\n')
    }
    const answer = await ask('/v1/chat/completions', { method: 'POST', body: '{}' })
    const text = pieces(answer)
    expect((await text.next()).value).toBe('data: one\n\n')
    more.resolve()
    expect((await text.next()).value).toBe('data: two\n\n')
    expect((await text.next()).done).toBe(true)
  })

  test('takes a body whole', async () => {
    answers = (incoming, response) => void incoming.pipe(response)
    const body = 'é'.repeat(500_000)
    expect(await (await ask('/v1/responses', { method: 'POST', body })).text()).toBe(body)
  })

  test('is left by OpenClaw’s side when its caller leaves before there is an answer', async () => {
    const left = Promise.withResolvers<void>()
    const came = Promise.withResolvers<void>()
    answers = (_, response) => {
      came.resolve()
      response.once('close', () => left.resolve())
    }
    const caller = get(`${url}/slow`, { headers: bearer }).on('error', () => {})
    await came.promise
    caller.destroy()
    await expect(left.promise).resolves.toBeUndefined()
  })

  test('is left by OpenClaw’s side when its caller leaves in the middle of one', async () => {
    const left = Promise.withResolvers<void>()
    answers = (_, response) => {
      response.write('a')
      response.once('close', () => left.resolve())
    }
    const caller = get(`${url}/slow`, { headers: bearer })
    const [answer] = (await once(caller, 'response')) as [IncomingMessage]
    answer.once('error', () => {})
    caller.destroy()
    await expect(left.promise).resolves.toBeUndefined()
  })

  test('that breaks off breaks off for its caller, too', async () => {
    answers = (_, response) => {
      response.writeHead(200, { 'content-length': '10' })
      response.write('half', () => response.socket?.destroy())
    }
    await expect(ask('/half').then((answer) => answer.text())).rejects.toThrow('terminated')
    answers = (_, response) => void response.socket?.destroy()
    const broken = await ask('/none')
    expect([broken.status, await broken.json()]).toMatchObject([
      502,
      { error: { code: 'runtime_failed' } },
    ])
  })

  test('waits where OpenClaw does not listen yet', async () => {
    await stopRuntime()
    const answer = await ask('/v1/models')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await answer.json()).toMatchObject({ error: { code: 'starting' } })
  })

  test.each([
    ['/v1/models', {}],
    ['/stats', {}],
    ['/memory', { authorization: 'Bearer wrong-token-0123456789' }],
    ['/skills', { authorization: token }],
    ['/sessions', { authorization: `Basic ${token}` }],
    ['//healthz', {}],
    ['/healthz/', {}],
    ['/readyz/../v1/models', {}],
    ['/health%7a', {}],
  ])('%s is nobody’s with %o', async (path, headers) => {
    const { hostname, port } = new URL(url)
    // As it is: fetch would put the path in order first.
    const asking = request({ hostname, port, path, headers: { ...headers } }).end()
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(401)
    expect(asked).toEqual([])
  })
})

describe('a WebSocket', () => {
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }

  test('reaches OpenClaw with its first bytes, both ways', async () => {
    runtime.on('upgrade', (incoming, socket) => {
      asked.push({ path: incoming.url, headers: incoming.headers })
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\nhi ',
      )
      socket.pipe(socket)
    })
    const asking = get(`${url}/ws?x=1`, { headers: { ...bearer, ...upgrade } })
    const [answer, socket, head] = await once(asking, 'upgrade')
    expect(answer.statusCode).toBe(101)
    socket.write('there')
    let heard = String(head)
    while (heard.length < 8) heard += String((await once(socket, 'data'))[0])
    expect(heard).toBe('hi there')
    expect(asked[0]).toMatchObject({
      path: '/ws?x=1',
      headers: { upgrade: 'websocket', ...bearer },
    })
    socket.destroy()
  })

  test.each([
    ['without a token', {}, 401],
    ['where there is none', bearer, 404],
  ])('%s is refused', async (_, headers, status) => {
    answers = (_incoming, response) => void response.writeHead(404).end('Not Found')
    const asking = get(`${url}/ws`, { headers: { ...headers, ...upgrade } })
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(status)
  })

  test('to an OpenClaw that does not listen is told so', async () => {
    await stopRuntime()
    const asking = get(`${url}/ws`, { headers: { ...bearer, ...upgrade } })
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(503)
  })
})

describe('memory', () => {
  const longTerm = () => readFile(join(dir, 'workspace/MEMORY.md'), 'utf8')
  const put = (key: string, memory: string) =>
    ask(`/memory/${key}`, { method: 'PUT', body: JSON.stringify({ memory }) })

  test('stands where OpenClaw reads it, beside what the agent keeps for itself', async () => {
    await put('name', 'Ann')
    expect(await longTerm()).toMatch(
      /^<!-- notes: begin.*-->\n## name\nAnn\n<!-- notes: end -->\n$/s,
    )
    await writeFile(join(dir, 'workspace/MEMORY.md'), `My own.\n${await longTerm()}And more.\n`)
    await put('2026-01-02', 'a daily note')
    await put('pet', 'Rex')
    const text = await longTerm()
    expect(text).toMatch(/^My own\.\nAnd more\.\n\n<!-- notes: begin/)
    expect(text).toMatch(/## pet\nRex\n## name\nAnn\n/)
    expect(text).not.toContain('daily')
    expect(await (await ask('/memory')).json()).toMatchObject({ count: 3 })

    await ask('/memory/name', { method: 'DELETE' })
    await ask('/memory/pet', { method: 'DELETE' })
    expect((await longTerm()).trim()).toBe('My own.\nAnd more.')
    expect((await ask('/memory', { method: 'DELETE' })).status).toBe(200)
    await expect(longTerm()).rejects.toThrow('ENOENT')
  })

  test('takes of much what OpenClaw takes, the newest first', async () => {
    await put('old', 'o'.repeat(10_000))
    await put('new', 'n'.repeat(10_000))
    const text = await longTerm()
    expect(text.length).toBeLessThan(20_000)
    expect(text).toContain('n'.repeat(10_000))
    expect(text).toContain('o […] (memory/old.md)')
  })
})

test('keeps skills where OpenClaw reads them, and hides those that are off', async () => {
  const document = '---\nname: maps\ndescription: Finds\n---\nGo.'
  const path = join(dir, 'workspace/skills/maps/SKILL.md')
  await ask('/skills/maps', { method: 'PUT', body: JSON.stringify({ document }) })
  expect(await readFile(path, 'utf8')).toBe(document)
  await ask('/skills/maps/disable', { method: 'POST' })
  await expect(readFile(path, 'utf8')).rejects.toThrow('ENOENT')
  await ask('/skills/maps/enable', { method: 'POST' })
  expect(await readFile(path, 'utf8')).toBe(document)
})

test('counts messages and what the processes take, and logs no path of OpenClaw’s', async () => {
  await (await ask('/v1/chat/completions', { method: 'POST', body: '{}' })).text()
  answers = (_, response) => void response.writeHead(402).end('{}')
  await (await ask('/v1/chat/completions', { method: 'POST', body: '{}' })).text()
  await (await ask('/private/path')).text()
  const stats = (await (await ask('/stats')).json()) as Record<string, number>
  expect(stats).toMatchObject({ messages: 2, errors: 1, averageResponseMs: expect.any(Number) })
  expect(stats['memoryBytes']).toBeGreaterThan(10_000_000)
  expect(stats['pids']).toBeGreaterThanOrEqual(1)
  expect(lines.join('\n')).not.toContain('private')
  expect(lines.join('\n')).toContain('/v1/chat/completions')
})
