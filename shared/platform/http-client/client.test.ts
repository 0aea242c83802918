import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ownTimeouts, passTime } from '#tests/support/clock/time.ts'
import { type HttpRequest, sendRequest } from './client.ts'
import { targetOf } from './connections.ts'

const head = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n'

/** Handles each connection of the client. */
let behave: (socket: Socket) => void
let url: string
let connections: number
let close: () => Promise<void>

beforeEach(async () => {
  connections = 0
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    connections++
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    socket.on('data', () => behave(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret`
  close = async () => {
    for (const socket of open) socket.destroy()
    server.close()
    await once(server, 'close')
  }
})
afterEach(() => close())

const ask = async (more: Partial<HttpRequest> = {}) => {
  const answer = await sendRequest({ target: targetOf(url), timeouts: {}, ...more })
  return (await answer.whole()).toString()
}

/**
 * Returns a call's error and how long the call took, by a fake clock that starts once the server has the request.
 */
async function failing(more: Partial<HttpRequest>) {
  ownTimeouts()
  const reached = Promise.withResolvers<void>()
  const then = behave
  behave = (socket) => {
    then(socket)
    reached.resolve()
  }
  let waits = true
  const failure = ask(more)
    .catch((error: unknown) => error)
    .finally(() => (waits = false))
  await reached.promise
  let ms = 0
  await passTime(
    () => waits,
    100,
    () => void (ms += 100),
  )
  return { error: await failure, ms }
}

describe('a server that', () => {
  it.each<[string, (socket: Socket) => void, Partial<HttpRequest>, string]>([
    ['disconnects', (socket) => socket.destroy(), {}, 'unreachable'],
    [
      'upgrades to another protocol',
      (socket) =>
        socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
      {},
      'upgraded',
    ],
    ['interrupts its response', (socket) => socket.end(`${head}hal`), {}, 'closed'],
    [
      'exceeds the response size',
      (socket) => socket.write(`${head}four`),
      { maxBytes: 3 },
      'too-large',
    ],
  ])(
    'a server that %s has its own error, without the address',
    async (_, behaviour, more, kind) => {
      behave = behaviour
      const failure: unknown = await ask(more).catch((error: unknown) => error)
      expect(failure).toMatchObject({ name: 'HttpFailure', kind })
      expect(String(failure)).not.toMatch(/secret|127\.0\.0\.1/)
      expect(connections).toBe(1)
    },
  )

  it('a server that is unavailable has its own error, without the address', async () => {
    const target = targetOf('http://127.0.0.1:1/secret')
    const failure: unknown = await ask({ target }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ kind: 'unreachable' })
    expect(String(failure)).toContain('ECONNREFUSED')
    expect(String(failure)).not.toMatch(/secret|127\.0\.0\.1/)
  })

  it('a server that stops sending in the middle fails after the idle timeout', async () => {
    behave = (socket) => socket.write(`${head}hal`)
    const { error, ms } = await failing({ timeouts: { idleMs: 1000, totalMs: 5000 } })
    expect(error).toMatchObject({ kind: 'idle' })
    expect(ms).toBeLessThan(2000)
  })

  it('a server that never responds fails after the total timeout', async () => {
    behave = () => {}
    const { error, ms } = await failing({ timeouts: { totalMs: 5000 } })
    expect(error).toMatchObject({ kind: 'total' })
    expect(ms).toBe(5000)
  })
})

it('a slow reader does not trigger the idle timeout', async () => {
  ownTimeouts()
  let socket: Socket | undefined
  behave = (used) => void (socket = used).write(`${head}ha`)
  const answer = await sendRequest({ target: targetOf(url), timeouts: { idleMs: 1000 } })
  const reader = answer.body[Symbol.asyncIterator]()
  await reader.next()
  let steps = 0
  await passTime(() => steps++ < 20, 1000)
  const rest = reader.next()
  socket?.write('lf')
  expect(String((await rest).value)).toBe('lf')
})

it('a caller who disconnects gets an abort error, before and during the call', async () => {
  const gone = new AbortController()
  behave = () => gone.abort(new Error('gone'))
  const aborted = { kind: 'aborted', cause: { message: 'gone' } }
  await expect(ask({ signal: gone.signal })).rejects.toMatchObject(aborted)
  await expect(ask({ signal: gone.signal, pooled: true })).rejects.toMatchObject(aborted)
  expect(connections).toBe(1)
})

it('connections are shared only on request', async () => {
  behave = (socket) => socket.write(`${head}fine`)
  await ask()
  expect(await ask()).toBe('fine')
  expect(connections).toBe(2)
  await ask({ pooled: true })
  expect(await ask({ pooled: true })).toBe('fine')
  expect(connections).toBe(3)
})

it('a failure is thrown as the caller’s error', async () => {
  behave = (socket) => socket.destroy()
  const toError = ({ kind }: { kind: string }) => new RangeError(kind)
  await expect(ask({ toError })).rejects.toThrow(new RangeError('unreachable'))
})
