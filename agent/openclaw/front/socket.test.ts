import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { bearer, useFront } from '../testing/front.ts'

const on = useFront()

describe('a WebSocket', () => {
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }

  test('reaches OpenClaw with its first bytes, both ways', async () => {
    on.runtime.on('upgrade', (incoming, socket) => {
      on.asked.push({ path: incoming.url, headers: incoming.headers })
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\nhi ',
      )
      socket.pipe(socket)
    })
    const asking = get(`${on.url}/ws?x=1`, { headers: { ...bearer, ...upgrade } })
    const [answer, socket, head] = await once(asking, 'upgrade')
    expect(answer.statusCode).toBe(101)
    socket.write('there')
    let heard = String(head)
    while (heard.length < 8) heard += String((await once(socket, 'data'))[0])
    expect(heard).toBe('hi there')
    expect(on.asked[0]).toMatchObject({
      path: '/ws?x=1',
      headers: { upgrade: 'websocket', ...bearer },
    })
    socket.destroy()
  })

  test.each([
    ['without a token', {}, 401],
    ['for an unknown path', bearer, 404],
  ])('%s is rejected', async (_, headers, status) => {
    on.answers = (_incoming, response) => void response.writeHead(404).end('Not Found')
    const asking = get(`${on.url}/ws`, { headers: { ...headers, ...upgrade } })
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(status)
  })

  test('a WebSocket to an OpenClaw that does not listen gets an error', async () => {
    await on.stopRuntime()
    const asking = get(`${on.url}/ws`, { headers: { ...bearer, ...upgrade } })
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(503)
  })
})
