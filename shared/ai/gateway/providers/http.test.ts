import { getEventListeners, once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ProviderCall, call, json } from './http.ts'
import type { Provider } from './provider.ts'

const ok = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}'

/** The behavior for a request, by its number on its connection and the number of the connection. */
type Behaviour = (socket: Socket, request: number, connection: number) => void

let behave: Behaviour
let requests: number
let provider: Provider
let close: () => Promise<void>

beforeEach(async () => {
  requests = 0
  let connections = 0
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    const connection = ++connections
    let onThis = 0
    open.add(socket)
    socket.on('error', () => {}).on('close', () => open.delete(socket))
    socket.on('data', (data) => {
      if (!data.toString().includes('HTTP/1.1')) return
      requests++
      behave(socket, ++onThis, connection)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  provider = {
    name: 'test',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    apiKey: 'key',
    speaks: ['chat'],
  }
  close = async () => {
    for (const socket of open) socket.destroy()
    server.close()
    await once(server, 'close')
  }
})
afterEach(() => close())

const ask = async (more: Partial<ProviderCall> = {}) => {
  // Longer than any test, unless a test sets another timeout.
  const input = { path: '/chat', json: { q: 1 }, timeouts: { totalMs: 120_000 }, maxBytes: 1000 }
  const { signal } = new AbortController()
  return json(await call(provider, { ...input, signal, ...more }))
}

it('a provider that upgrades to another protocol gives no response', async () => {
  behave = (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
  await expect(ask()).rejects.toThrow('the provider tried to switch to another protocol')
  expect(requests).toBe(1)
})

describe('a connection that was idle', () => {
  it('a connection that was idle and was closed when it was reused does not fail the call', async () => {
    behave = (socket, request) => (request === 1 ? socket.write(ok) : socket.resetAndDestroy())
    await ask()
    expect(await ask()).toEqual({})
    expect(requests).toBe(3)
  })

  it('a connection that was idle and was closed after a byte of a response is a failure: that request was read', async () => {
    behave = (socket, request) =>
      request === 1 ? socket.write(ok) : void socket.write('HTTP', () => socket.destroy())
    await ask()
    await expect(ask()).rejects.toThrow('the provider cannot be reached')
    expect(requests).toBe(2)
  })

  it('is closed within the time that the provider sends', async () => {
    const closed = Promise.withResolvers<void>()
    behave = (socket) => {
      socket.once('close', () => closed.resolve())
      socket.write(ok.replace('\r\n\r\n', '\r\nkeep-alive: timeout=2\r\n\r\n'))
    }
    await ask()
    await expect(closed.promise).resolves.toBeUndefined()
  })
})

describe('a fresh connection', () => {
  it('a fresh connection that is reset is a failure, and is not retried', async () => {
    behave = (socket) => socket.resetAndDestroy()
    await expect(ask()).rejects.toThrow('the provider cannot be reached')
    expect(requests).toBe(1)
  })

  it('a fresh connection that cannot be made is a failure', async () => {
    const gone = { ...provider, baseUrl: 'http://127.0.0.1:1/v1' }
    const { signal } = new AbortController()
    const input = { path: '/', timeouts: { totalMs: 5000 }, maxBytes: 1, signal }
    await expect(call(gone, input)).rejects.toThrow('the provider cannot be reached')
  })
})

describe('the end of a call', () => {
  it.each<[string, Behaviour, Partial<ProviderCall>]>([
    ['it is answered', (socket) => socket.write(ok), {}],
    ['it is reset', (socket) => socket.resetAndDestroy(), {}],
    ['it times out', () => {}, { timeouts: { totalMs: 20 } }],
    ['its answer is too large', (socket) => socket.write(ok), { maxBytes: 1 }],
    [
      'its answer is truncated',
      (socket) => void socket.write(ok.slice(0, -1), () => socket.end()),
      {},
    ],
    ['its answer is not JSON', (socket) => socket.write(ok.replace('{}', '{]')), {}],
  ])('removes all listeners if %s', async (_, behaviour, more) => {
    behave = behaviour
    const { signal } = new AbortController()
    await ask({ ...more, signal }).catch(() => {})
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('follows the caller’s disconnect', async () => {
    const gone = new AbortController()
    const closed = Promise.withResolvers<void>()
    behave = (socket) => {
      socket.once('close', () => closed.resolve())
      gone.abort(new Error('gone'))
    }
    await expect(ask({ signal: gone.signal })).rejects.toThrow('gone')
    await closed.promise
    await expect(ask({ signal: gone.signal })).rejects.toThrow('gone')
    expect(requests).toBe(1)
  })
})
