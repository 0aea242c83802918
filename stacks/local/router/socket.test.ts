import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import { endSession } from '#shared/accounts/users/session.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { domain, serve } from '#tests/support/agents/agent-hosts.ts'
import {
  deadPort,
  echo,
  type RoutedAgent,
  startRoutedAgent,
} from '#tests/support/agents/routed-agent.ts'
import { untilFound } from '#tests/support/clock/eventually.ts'

let routed: RoutedAgent

beforeAll(async () => {
  routed = await startRoutedAgent()
})
afterAll(() => routed.close())
afterEach(() => routed.behave(echo))

describe('a WebSocket', () => {
  it('is connected to the agent, which gets the gateway token', async () => {
    const { socket } = routed.open()
    await once(socket, 'open')
    socket.send('hello')
    const [said] = (await once(socket, 'message')) as [Buffer]
    expect(said.toString()).toBe(`Bearer ${await routed.gate.tokenOf(routed.agent)} hello`)
    socket.close(4000)
    expect((await once(socket, 'close'))[0]).toBe(4000)
  })

  it('is answered by the agent only for its own host', async () => {
    const { sockets } = routed
    sockets.once('headers', (headers: string[]) => {
      headers.push('Set-Cookie: a=1; Domain=localhost', 'Clear-Site-Data: "*"')
    })
    const { socket } = routed.open()
    const [answer] = (await once(socket, 'upgrade')) as [IncomingMessage]
    expect(answer.headers['set-cookie']).toEqual(['a=1'])
    expect(answer.headers).not.toHaveProperty('clear-site-data')
    socket.terminate()
  })

  it('is opened by the agent’s own page and by no other', async () => {
    const { host, owner, open } = routed
    const cookie = await routed.cookieOf()
    const own = open({ cookie }, { origin: `http://${host}` })
    await once(own.socket, 'open')
    own.socket.terminate()
    const neighbour = `http://evil-00000000.${domain}`
    for (const origin of [neighbour, 'https://evil.example', 'null', `https://${host}`])
      expect(await open({ cookie }, { origin }).refused).toBe(403)
    expect(await open({}, { origin: `http://${host}` }).refused).toBe(401)
    expect(await open(owner.session, { origin: `http://${host}` }).refused).toBe(401)
  })

  it('a WebSocket to a missing agent is rejected', async () => {
    await routed.move(await deadPort())
    expect(await routed.open().refused).toBe(502)
    await routed.move(routed.address.port)
  })

  it('a WebSocket that the agent rejects is rejected in its words, for its own host', async () => {
    const refusing = await serve(echo)
    const words =
      'HTTP/1.1 403 No\r\nSet-Cookie: a=1; Domain=localhost\r\nContent-Length: 0\r\n\r\n'
    refusing.server.on('upgrade', (_, socket: Socket) => socket.end(words))
    await routed.move(refusing.port)
    const { socket } = routed.open()
    const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
    expect(answer.statusCode).toBe(403)
    expect(answer.headers['set-cookie']).toEqual(['a=1'])
    await refusing.close()
    await routed.move(routed.address.port)
  })

  it.each(['client', 'agent'] as const)('ends at both ends when the %s is cut', async (side) => {
    const arriving = once(routed.sockets, 'connection') as Promise<[WebSocket]>
    const { socket } = routed.open()
    const [[atAgent]] = await Promise.all([arriving, once(socket, 'open')])
    const [cut, other] = side === 'client' ? [socket, atAgent] : [atAgent, socket]
    const closed = once(other, 'close')
    cut.on('error', () => {})
    cut.terminate()
    expect((await closed)[0]).toBe(1006)
  })
})

describe('an open connection', () => {
  it('keeps its agent awake', async () => {
    const { gate, agent } = routed
    const { socket } = routed.open()
    await once(socket, 'open')
    await changeAgent(gate, {
      agent: await gate.row(agent),
      decide: (row) => ({ ...row, busyUntil: 0 }),
    })
    await untilFound(async () => Number((await gate.row(agent)).busyUntil) > Date.now())
    expect(socket.readyState).toBe(socket.OPEN)
    socket.terminate()
  })

  it.each(['a socket', 'an answer'])(
    'an open connection as %s ends when its access ends',
    async (kind) => {
      const { gate, address, port } = routed
      routed.behave((_, response) => void response.writeHead(200).write('x'))
      const person = await gate.person()
      const mine = await gate.agent(person.id, { address })
      const headers = { host: gate.hostOf(mine), cookie: await routed.cookieOf(person, mine) }
      const ended = Promise.withResolvers<void>()
      if (kind === 'a socket') {
        const { socket } = routed.open(headers)
        await once(socket, 'open')
        socket.once('close', () => ended.resolve())
      } else {
        const asked = request({ port, headers }).end()
        const [answer] = (await once(asked, 'response')) as [IncomingMessage]
        answer.on('error', () => {}).once('close', () => ended.resolve())
        answer.resume()
      }
      await endSession(gate, { cookie: person.session.cookie.replace('service-session=', '') })
      await expect(ended.promise).resolves.toBeUndefined()
    },
  )
})
