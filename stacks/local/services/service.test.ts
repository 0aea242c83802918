import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { viewerHeaders } from '#shared/http/client-address.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { compilePrograms } from '../functions/compile-programs.ts'
import { listen } from '../server/listen.ts'
import { fixture } from '../testing/manifest.ts'
import { proxyTo } from './proxy.ts'
import { startService } from './start.ts'

const originSecret = 'the secret of the origin'

/** A service that returns its request and its environment, and ends its thread at `/own/exit`. */
const bundle = `exports.handler = {
  underWay: 0,
  async finish() { return { cut: 0, lost: 0 } },
  handle(message, out) {
    if (message.url === '/own/exit') process.exit(3)
    out.end(JSON.stringify({ by: 'service', url: message.url, given: process.env.GIVEN }))
  },
}`

const http = (...prefixes: string[]) => ({ kind: 'http', surface: 'backend', prefixes }) as const

async function serving(
  beyond: (request: IncomingMessage, response: ServerResponse) => void,
  onLine: (line: string) => void = () => {},
) {
  const dir = await mkdtemp(join(tmpdir(), 'service-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  await writeFile(join(dir, 'index.cjs'), bundle)
  const { service: program } = await compilePrograms(dir)
  const server = createServer(beyond)
  const lines: string[] = []
  const service = await startService({
    name: 'own',
    bundle: join(dir, 'index.cjs'),
    inFrontOf: {
      functions: [fixture('own', 'http', http('/own')), fixture('deep', 'http', http('/own/deep'))],
      surface: 'backend',
      beyond: await listen(server, 0),
      originSecret,
    },
    port: 0,
    cacheDir: dir,
    program,
    environment: () => ({ GIVEN: 'granted' }),
    database: undefined,
    onLine: (line) => {
      lines.push(line)
      onLine(line)
    },
  })
  onTestFinished(async () => {
    await service.close(0)
    server.closeAllConnections()
    server.close()
  })
  return { url: service.url, lines, program, close: service.close }
}

it('a service answers its own paths with its grants, and the surface all others', async () => {
  const { url } = await serving((request, response) => {
    response.writeHead(201, { 'X-Kept': 'yes', 'set-cookie': ['a=1', 'b=2'] })
    request.pipe(response)
  })
  expect(await (await fetch(`${url}/own/thing?a=%20`)).json()).toEqual({
    by: 'service',
    url: '/own/thing?a=%20',
    given: 'granted',
  })
  for (const path of ['/own/deep/thing', '/other', '//own']) {
    const answer = await fetch(url + path, { method: 'POST', body: path })
    expect([answer.status, await answer.text()]).toEqual([201, path])
    expect(answer.headers.get('x-kept')).toBe('yes')
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  }
})

it('a response is streamed, and a disconnected caller is noticed', async () => {
  const gone = Promise.withResolvers<void>()
  const { url } = await serving((_, response) => {
    response.write('first')
    response.once('close', gone.resolve)
  })
  const leaving = new AbortController()
  const answer = await fetch(`${url}/other`, { signal: leaving.signal })
  const first = await answer.body?.getReader().read()
  expect(Buffer.from(first?.value ?? []).toString()).toBe('first')
  leaving.abort()
  await gone.promise
})

it('a forwarded request carries its verified address, not its client’s claim', async () => {
  const { url } = await serving((message, response) => {
    const { 'x-viewer-address': address, 'x-viewer-proof': proof } = message.headers
    response.end(JSON.stringify({ 'x-viewer-address': address, 'x-viewer-proof': proof }))
  })
  const ask = async (localAddress: string, headers: Record<string, string>) => {
    const asked = request(`${url}/other`, { localAddress, headers })
    asked.end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return JSON.parse(Buffer.concat(await answer.toArray()).toString()) as Record<string, string>
  }
  const own = await viewerHeaders('127.0.0.2', originSecret)
  expect(await ask('127.0.0.2', { 'x-forwarded-for': '203.0.113.7' })).toEqual(own)
  const claimed = await viewerHeaders('203.0.113.7', 'another secret')
  expect(await ask('127.0.0.2', claimed)).toEqual(own)
  // An earlier proxy with the secret has already added the address.
  const proven = await viewerHeaders('203.0.113.8', originSecret)
  expect(await ask('127.0.0.2', proven)).toEqual(proven)
})

it('a request of a disconnected caller is not forwarded', async () => {
  const beyond = createServer((_, response) => void response.end())
  let connections = 0
  beyond.on('connection', () => (connections += 1))
  const passOn = proxyTo(await listen(beyond, 0), originSecret)
  const left = Promise.withResolvers<void>()
  const there = Promise.withResolvers<void>()
  const front = createServer((message, out) => {
    if (message.url === '/stays') return passOn(message, out)
    there.resolve()
    out.once('close', () => {
      passOn(message, out)
      left.resolve()
    })
  })
  const url = `http://127.0.0.1:${await listen(front, 0)}`
  onTestFinished(() => void [front, beyond].map((server) => server.closeAllConnections()))
  onTestFinished(() => void [front, beyond].map((server) => server.close()))
  const leaving = new AbortController()
  const answer = fetch(`${url}/leaves`, { signal: leaving.signal })
  await there.promise
  leaving.abort()
  await expect(answer).rejects.toThrow('aborted')
  await left.promise
  expect((await fetch(`${url}/stays`)).status).toBe(200)
  expect(connections).toBe(1)
})

it('a service whose thread ends is restarted at the same address', async () => {
  const { url, lines } = await serving((_, response) => void response.end('beyond'))
  await expect(fetch(`${url}/own/exit`)).rejects.toThrow('fetch failed')
  expect(await eventually(async () => (await fetch(`${url}/own`)).status)).toBe(200)
  expect(lines).toContain('exited with code 3')
})

it('a service whose port is in use during its restart returns once the port is free', async () => {
  const thief = createServer((_, response) => void response.end('stolen'))
  const stolen = Promise.withResolvers<void>()
  let port = 0
  const { url, lines } = await serving(
    (_, response) => void response.end(),
    (line) => {
      if (line.startsWith('exited with code 3')) thief.listen(port, '127.0.0.1', stolen.resolve)
    },
  )
  port = Number(new URL(url).port)
  await expect(fetch(`${url}/own/exit`)).rejects.toThrow('fetch failed')
  await stolen.promise
  await eventually(() => expect(lines).toContain(`cannot listen at port ${port}: EADDRINUSE`))
  thief.closeAllConnections()
  thief.close()
  await eventually(async () =>
    expect(await (await fetch(`${url}/own`)).json()).toMatchObject({ by: 'service' }),
  )
})

it('a service that is closed before its restart ends at once', async () => {
  const closed = Promise.withResolvers<void>()
  const hour = 3_600_000
  const { url, close } = await serving(
    (_, response) => void response.end(),
    (line) => {
      if (line.startsWith('exited with code 3')) closed.resolve(close(hour))
    },
  )
  await expect(fetch(`${url}/own/exit`)).rejects.toThrow('fetch failed')
  await closed.promise
})

it('a port in use is reported', async () => {
  const { program, url } = await serving((_, response) => void response.end())
  const taken = Number(new URL(url).port)
  await expect(
    startService({
      name: 'own',
      bundle: '',
      port: taken,
      cacheDir: tmpdir(),
      program,
      environment: () => ({}),
      database: undefined,
      onLine: () => {},
    }),
  ).rejects.toThrow(`port ${taken} is in use`)
})
