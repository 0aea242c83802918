import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { token, until } from '../testing/gateway.ts'
import { useAgent } from '../testing/use.ts'

const on = useAgent()

const upgrade = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'

/** Sends raw bytes. */
function say(bytes: string, allowHalfOpen = false) {
  const port = Number(new URL(on.gateway.url).port)
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen })
  socket.write(bytes)
  return socket
}

async function open(): Promise<WebSocket> {
  const headers = { authorization: `Bearer ${token}` }
  const socket = new WebSocket(on.gateway.url.replace('http', 'ws'), { headers })
  await once(socket, 'message')
  return socket
}

describe('a hostile caller', () => {
  it('does not crash the agent with an upgrade to WebSocket before the previous response has arrived', async () => {
    const answers = await text(say(`GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n${upgrade}`))
    expect(answers).not.toContain('101')
    expect((await on.gateway.fetch('/readyz')).status).toBe(200)
  })

  it('holds no connection after a rejected WebSocket', async () => {
    const socket = say(upgrade, true)
    let failed = false
    socket.on('error', () => (failed = true))
    expect(await text(socket)).toContain('HTTP/1.1 401 Unauthorized')
    await until(() => failed || void socket.write('more'))
  })

  it('is disconnected if it sends more messages than may wait', async () => {
    const socket = await open()
    for (let i = 0; i < 1000; i++) socket.send('{')
    expect((await once(socket, 'close'))[0]).toBe(1008)
    expect(on.gateway.output).not.toContain('MaxListenersExceeded')
    expect((await on.gateway.fetch('/readyz')).status).toBe(200)
  })

  it('cannot use a message id above 256 characters', async () => {
    const socket = await open()
    socket.send(JSON.stringify({ id: 'x'.repeat(257), message: 'Hi' }))
    const [data] = (await once(socket, 'message')) as [Buffer]
    expect(JSON.parse(data.toString())).toMatchObject({
      type: 'error',
      id: null,
      error: { param: 'id' },
    })
    socket.terminate()
  })
})
