import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ownTimeouts, passTime } from '#tests/support/clock/time.ts'
import { probe } from './probe.ts'

async function gateway(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
}

describe('a probe', () => {
  it('requests /readyz, and a status of 200 is healthy', async () => {
    const requests: unknown[] = []
    const address = await gateway(({ url, method }, response) => {
      requests.push([method, url])
      response.end('any body')
    })
    expect(await probe(address, 'agt_1')).toEqual({ healthy: true, named: false })
    expect(requests).toEqual([['GET', '/readyz']])
  })

  it.each([
    ['agt_1', { healthy: true, named: true }],
    ['agt_2', { healthy: false, cause: 'its address belongs to another agent', another: 'agt_2' }],
  ])('recognises the sender of the response: %s', async (answering, expected) => {
    const address = await gateway((_request, response) => {
      response.setHeader('agent-id', answering).end()
    })
    expect(await probe(address, 'agt_1')).toEqual(expected)
  })

  it.each([204, 302, 404, 503])('maps the status %i', async (status) => {
    const address = await gateway((_request, response) => {
      response.writeHead(status, { location: '/healthz' }).end()
    })
    const cause = `its health check answered ${status}`
    expect(await probe(address, 'agt_1')).toEqual({ healthy: false, cause })
  })

  it('a probe without an address makes no request', async () => {
    const cause = 'it has no address yet'
    expect(await probe(undefined, 'agt_1')).toEqual({ healthy: false, cause })
  })

  it('fails at once if no process listens', async () => {
    const cause = 'its gateway cannot be reached'
    expect(await probe({ host: '127.0.0.1', port: 1 }, 'agt_1')).toEqual({ healthy: false, cause })
  })

  it('is not delayed by a gateway that upgrades to another protocol', async () => {
    const address = await gateway(({ socket }) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
    })
    const cause = 'its gateway gave no answer'
    expect(await probe(address, 'agt_1')).toEqual({ healthy: false, cause })
  })

  it('is not delayed by a gateway that accepts the connection and sends nothing', async () => {
    ownTimeouts()
    const taken = Promise.withResolvers<void>()
    const address = await gateway(() => taken.resolve())
    let waits = true
    const probed = probe(address, 'agt_1').finally(() => (waits = false))
    await taken.promise
    let seconds = 0
    await passTime(
      () => waits,
      1000,
      () => void seconds++,
    )
    const cause = 'its gateway did not answer in time'
    expect(await probed).toEqual({ healthy: false, cause })
    expect(seconds).toBe(5)
  })
})
