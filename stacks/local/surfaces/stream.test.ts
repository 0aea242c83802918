import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type Harness, startHarness, until } from '../testing/harness.ts'
import { fixture } from '../testing/manifest.ts'
import { type RunningSurface, startSurface } from './surface.ts'

const functions = [
  fixture('streaming', 'stream', {
    kind: 'http',
    surface: 'web',
    prefixes: ['/s'],
    streaming: true,
  }),
]

let harness: Harness
let surface: RunningSurface

beforeAll(async () => {
  harness = await startHarness(functions)
  const { host } = harness
  surface = await startSurface({ surface: 'web', functions, host, port: 0, onFailure() {} })
})
afterAll(async () => {
  await surface.close(0)
  await harness[Symbol.asyncDispose]()
})

interface Closed {
  closed: string
  finished: boolean
}
const closedOf = (what: string) =>
  harness.lines.all
    .map(({ text }) => JSON.parse(text.startsWith('{') ? text : '{}') as Partial<Closed>)
    .find(({ closed }) => closed === what)

test('chunks arrive one by one, after head and cookies', async () => {
  const answer = await fetch(`${surface.url}/s/chunks`)
  expect(answer.status).toBe(202)
  expect(answer.headers.get('content-type')).toBe('text/event-stream')
  expect(answer.headers.getSetCookie()).toEqual(['s=1', 't=2'])
  const chunks: string[] = []
  // The function sends the next chunk only after the client has read this one.
  for await (const chunk of answer.body ?? []) {
    chunks.push(Buffer.from(chunk).toString())
    await fetch(`${surface.url}/s/next`)
  }
  expect(chunks).toEqual(['data: one\n\n', 'data: two\n\n', 'data: three\n\n'])
})

test('a client that disconnects ends the function’s stream', async () => {
  const gone = new AbortController()
  const answer = await fetch(`${surface.url}/s/forever`, { signal: gone.signal })
  await answer.body?.getReader().read()
  expect(closedOf('forever')).toBeUndefined()
  gone.abort()
  expect(await until('the stream to close', () => closedOf('forever'))).toMatchObject({
    finished: false,
  })
})

test('a client that does not read pauses the function', async () => {
  const bytes = 64 * 1024 * 1024
  const socket = connect(surface.port, '127.0.0.1')
  socket.pause()
  socket.write(`GET /s/flood?bytes=${bytes} HTTP/1.1\r\nHost: a\r\n\r\n`)
  const written = () => harness.lines.values<number>('written').at(-1)
  await until('the function to write', () => (written() ?? 0) > 100_000)
  let last = -1
  await until('the function to wait', async () => {
    const before = last
    last = written() ?? 0
    return before === last || wait(100, false as const)
  })
  expect(last).toBeLessThan(bytes / 4)
  socket.resume()
  await until('the function to go on', () => (written() ?? 0) > last)
  socket.destroy()
})

test.each(['throw-first', 'bad-header'])('%s before the first byte returns 502', async (what) => {
  const answer = await fetch(`${surface.url}/s/${what}`)
  expect([answer.status, await answer.json()]).toEqual([502, { message: 'Bad Gateway' }])
})

test('an error in the middle closes the connection, so that the client detects it', async () => {
  const answer = await fetch(`${surface.url}/s/throw-later`)
  expect(answer.status).toBe(202)
  await expect(answer.text()).rejects.toThrow('terminated')
})

test('a function that times out is cut off, and the next request succeeds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const answer = await fetch(`${surface.url}/s/hang`)
  vi.advanceTimersByTime(60_000)
  await expect(answer.text()).rejects.toThrow('terminated')
  expect((await fetch(`${surface.url}/s/nothing`)).status).toBe(200)
})

test('a response that ends without a write loses its head, as on Lambda', async () => {
  const answer = await fetch(`${surface.url}/s/nothing`)
  expect([answer.status, await answer.text()]).toEqual([200, ''])
})
