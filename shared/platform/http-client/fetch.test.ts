import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boundedFetch } from './fetch.ts'
import { mayBePlain, requireSecure } from './secure.ts'

let origin: string
const requests: string[] = []

/** Answers by path; some responses never come or never end. */
const server = createServer((request, response) => {
  requests.push(request.url ?? '')
  switch (request.url) {
    case '/endless':
      response.writeHead(200)
      response.on('drain', () => response.write('x'.repeat(65_536)))
      response.write('x'.repeat(65_536))
      break
    case '/packed':
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(gzipSync('x'.repeat(1_000_000)))
      break
    case '/stalled':
      response.writeHead(200).write('x')
      break
    case '/silent':
      break
    case '/elsewhere':
      response.writeHead(302, { location: '/fine' }).end('moved')
      break
    case '/nothing':
      response.writeHead(204).end()
      break
    default:
      response.writeHead(200, { 'content-type': 'text/plain' }).end('fine')
  }
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const ask = boundedFetch({ totalMs: 60_000, maxBytes: 100_000 })
const askHastily = boundedFetch({ totalMs: 300, maxBytes: 100_000 })

describe('a fetched response', () => {
  it('arrives unchanged', async () => {
    const answer = await ask(`${origin}/fine`)
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'text/plain',
      'fine',
    ])
    expect((await ask(`${origin}/nothing`)).status).toBe(204)
  })

  it('follows no redirect', async () => {
    requests.length = 0
    const answer = await ask(`${origin}/elsewhere`, { redirect: 'follow' })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/fine'])
    expect(requests).toEqual(['/elsewhere'])
  })

  it.each(['/endless', '/packed'])('is cut off when it is too long: %s', async (path) => {
    await expect(ask(origin + path)).rejects.toThrow('more than 100000 bytes')
  })

  it.each(['/silent', '/stalled'])('times out: %s', async (path) => {
    await expect(askHastily(origin + path)).rejects.toThrow(/timeout/i)
  })

  it('ends when its caller disconnects', async () => {
    const signal = AbortSignal.abort(new Error('gone'))
    await expect(ask(`${origin}/silent`, { signal })).rejects.toThrow('gone')
  })
})

describe('a URL without TLS', () => {
  it.each([
    ['http://localhost:1', true],
    ['http://127.0.0.1/x', true],
    ['http://[::1]:8', true],
    ['http://127.0.0.1.evil.example', false],
    ['http://localhost.evil.example', false],
    ['http://10.0.0.1', false],
    ['https://localhost', false],
    ['ftp://localhost', false],
  ])('%s is accepted on a local machine: %s', (address, allowed) => {
    expect(mayBePlain(new URL(address), false)).toBe(allowed)
    expect(mayBePlain(new URL(address), true)).toBe(false)
  })

  it('is rejected otherwise', () => {
    expect(() => requireSecure(new URL('http://a.example'), false)).toThrow('must be an https')
    expect(() => requireSecure(new URL('http://localhost'), true)).toThrow('must be an https')
    expect(requireSecure(new URL('https://a.example'), true).hostname).toBe('a.example')
  })
})
