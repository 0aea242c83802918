import { describe, expect, it, vi } from 'vitest'
import { eventually } from '#tests/support/clock/eventually.ts'
import { useBrokerScene } from '#tests/support/tools/broker-with-host.ts'
import { brokerOver } from '#tests/support/tools/broker.ts'

const on = useBrokerScene('a-value-of-hers')

describe('a record', () => {
  it('is listed after the response, newest first', async () => {
    await (await on.ask(`/api/${on.host}/1?secret=x`)).text()
    on.answer = (_, response) => response.writeHead(404).end('nothing')
    await (await on.ask(`/api/${on.host}/2`, { method: 'PUT', body: 'abc' })).text()
    expect(await on.requests()).toEqual([
      { at: expect.any(String), name: 'api', method: 'PUT', host: on.host, status: 404, bytes: 7 },
      { at: expect.any(String), name: 'api', method: 'GET', host: on.host, status: 200, bytes: 4 },
    ])
    const path = `${on.agent.agentId}/broker-requests?limit=1`
    const { body } = await on.broker.call('GET', path, { session: on.user.session })
    expect(body.requests).toMatchObject([{ method: 'PUT' }])
  })

  it('is written for a host that does not respond', async () => {
    on.answer = (_, response) => response.destroy()
    const brokerResponse = await on.ask(`/api/${on.host}/`)
    expect([brokerResponse.status, await brokerResponse.json()]).toEqual([
      502,
      { error: expect.any(String), code: 'BROKER_UNREACHABLE' },
    ])
    expect(await on.requests()).toMatchObject([{ host: on.host, status: null, bytes: null }])
  })

  it.each([600, 999])('is written for a host that responds with status %i', async (status) => {
    on.answer = (request) =>
      request.socket.end(`HTTP/1.1 ${status} Odd\r\ncontent-length: 4\r\n\r\nhere`)
    const response = await on.ask(`/api/${on.host}/`)
    expect([response.status, await response.json()]).toEqual([
      502,
      { error: expect.stringContaining('invalid HTTP status'), code: 'BROKER_UNREACHABLE' },
    ])
    expect(await on.requests()).toMatchObject([{ host: on.host, status: null, bytes: null }])
  })

  it('a record and the log contain no path', async () => {
    const lines: string[] = []
    const spy = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
    try {
      for (const method of ['GET', 'POST', 'PROPFIND'])
        await (await on.ask(`/api/${on.host}/of-hers/1?q=of-hers`, { method })).text()
    } finally {
      spy.mockRestore()
    }
    expect(on.seen).toHaveLength(2)
    const paths = lines.map((line) => (JSON.parse(line) as { path?: string }).path)
    expect(paths.filter(Boolean)).toEqual(Array.from({ length: 3 }, () => `/broker/api/${on.host}`))
    expect(lines.join() + JSON.stringify(await on.requests())).not.toContain('of-hers')
  })

  it('is written for a host that times out', async () => {
    on.answer = () => {}
    const hasty = brokerOver(on.accounts.table, { allowed: [on.host], idleMs: 50 })
    const response = await hasty.ask(on.agent.key, `/api/${on.host}/`)
    expect([response.status, await response.json()]).toMatchObject([
      504,
      { code: 'BROKER_TIMEOUT' },
    ])
    expect(await on.requests()).toMatchObject([{ host: on.host, status: null }])
  })

  it('contains the bytes returned to a caller who disconnected', async () => {
    on.answer = (_, response) => void response.write('begun')
    const gone = new AbortController()
    const brokerResponse = await on.ask(`/api/${on.host}/`, { signal: gone.signal })
    const reader = brokerResponse.body!.getReader()
    await reader.read()
    gone.abort()
    await reader.cancel().catch(() => {})
    await eventually(async () =>
      expect(await on.requests()).toMatchObject([{ status: 200, bytes: 5 }]),
    )
    await eventually(() => expect(on.seen[0]!.socket.destroyed).toBe(true))
  })

  it('is written during a long response, so that a killed process leaves one', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let brokerResponse: Response
    let end = () => {}
    try {
      on.answer = (_, response) => {
        response.write('begun')
        end = () => response.end()
      }
      brokerResponse = await on.ask(`/api/${on.host}/`)
      vi.advanceTimersByTime(5000)
    } finally {
      vi.useRealTimers()
    }
    await eventually(async () =>
      expect(await on.requests()).toMatchObject([{ status: 200, bytes: null }]),
    )
    end()
    await brokerResponse.text()
    expect(await on.requests()).toMatchObject([{ status: 200, bytes: 5 }])
  })

  it.each([
    ['with a content length', { 'content-length': '4' }, 200],
    ['without a length', {}, 200],
    ['without a body', {}, 204],
  ])('a record of a response %s costs one write', async (_, headers, status) => {
    on.answer = (_request, response) =>
      response.writeHead(status, headers).end(status === 204 ? undefined : 'here')
    const { table } = on.accounts
    let writes = 0
    const counted = {
      ...table,
      put: (...args: Parameters<typeof table.put>) => (writes++, table.put(...args)),
    }
    const broker = brokerOver(counted, { allowed: [on.host] })
    await (await broker.ask(on.agent.key, `/api/${on.host}/`)).text()
    expect(writes).toBe(1)
    expect(await on.requests()).toMatchObject([{ status, bytes: status === 204 ? 0 : 4 }])
  })

  it.each([
    ['with a content length', { 'content-length': '4' }],
    ['in one chunk', {}],
  ])('is written before the last byte of a response %s', async (_, headers) => {
    on.answer = (_request, response) => response.writeHead(200, headers).end('here')
    const { table } = on.accounts
    const written = Promise.withResolvers<void>()
    const requested = Promise.withResolvers<void>()
    const slow = {
      ...table,
      put: async (...args: Parameters<typeof table.put>) => {
        requested.resolve()
        await written.promise
        await table.put(...args)
      },
    }
    const broker = brokerOver(slow, { allowed: [on.host] })
    const brokerResponse = await broker.ask(on.agent.key, `/api/${on.host}/`)
    const order: string[] = []
    const reader = brokerResponse.body!.getReader()
    const readFirst = async () => {
      const { value = new Uint8Array() } = await reader.read()
      order.push(Buffer.from(value).toString())
    }
    const read = readFirst()
    await requested.promise
    for (let turns = 0; turns < 20; turns++) await new Promise((done) => void setImmediate(done))
    order.push('written')
    written.resolve()
    await read
    expect(await reader.read()).toMatchObject({ done: true })
    expect(order).toEqual(['written', 'here'])
    expect(await on.requests()).toMatchObject([{ status: 200, bytes: 4 }])
  })

  it('contains the actual length of a truncated response', async () => {
    on.answer = (_, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('here')
      setImmediate(() => response.destroy())
    }
    const brokerResponse = await on.ask(`/api/${on.host}/`)
    await expect(brokerResponse.text()).rejects.toThrow('the answer was interrupted')
    expect(await on.requests()).toMatchObject([{ status: 200, bytes: 4 }])
  })

  it('a record that cannot be written interrupts the response', async () => {
    const { table } = on.accounts
    const killed = { ...table, put: () => Promise.reject(new Error('killed')) }
    const broker = brokerOver(killed, { allowed: [on.host] })
    const response = await broker.ask(on.agent.key, `/api/${on.host}/`)
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow('killed')
  })
})
