import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { say } from '#tests/support/agents/agent-hosts.ts'
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

/** Starts a request whose response the test reads by hand. */
async function begin() {
  const { port, host, withKey } = routed
  const asked = request({ port, headers: { host, ...withKey } }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { asked, answer }
}

it('an answer has its status, its headers and its body', async () => {
  routed.behave((_, response) => {
    response.writeHead(418, 'A teapot', { 'x-own': 'kept', 'set-cookie': ['a=1', 'b=2'] })
    response.end('tea')
  })
  const { status, headers, text: body } = await routed.ask()
  expect({ status, body, own: headers['x-own'] }).toEqual({ status: 418, body: 'tea', own: 'kept' })
  expect(headers['set-cookie']).toEqual(['a=1', 'b=2'])
})

it('an answer stays within its own host', async () => {
  routed.behave((_, response) => {
    response.writeHead(200, {
      'set-cookie': [
        'a=1; Domain=agents.localhost; Path=/',
        'b=domain=x; Path=/;domain = .localhost',
        'c=3; dom; DOMAIN=xain=y; Secure',
        'service-session=taken; Domain=localhost',
        'agent-access=taken',
        '__Host-agent-access=taken; Secure; Path=/',
      ],
      'clear-site-data': '"cookies"',
      'alt-svc': 'h2="evil.example:443"',
    })
    response.end()
  })
  const { headers } = await routed.ask()
  expect(headers['set-cookie']).toEqual(['a=1; Path=/', 'b=domain=x; Path=/', 'c=3; dom; Secure'])
  expect(headers).not.toHaveProperty('clear-site-data')
  expect(headers).not.toHaveProperty('alt-svc')
})

it.each([
  ['an invalid status', '099 X', '', 502],
  ['an empty status', '000 X', '', 502],
  ['control characters in its status line', '200 \u0001\u007f', '', 200],
  ['invalid trailers', '200 OK', 'Trailer: x\r\n', 200],
])('an answer with %s affects only its reader', async (_, status, headers, expected) => {
  routed.behave(({ socket }) => {
    socket.end(`HTTP/1.1 ${status}\r\n${headers}Content-Length: 2\r\n\r\nhi`)
  })
  const asked = await routed.ask()
  expect([asked.status, asked.text]).toEqual([expected, 'hi'])
  routed.behave(echo)
  expect((await routed.ask()).status).toBe(200)
})

it('an answer in another protocol, which the client did not request, is an error', async () => {
  routed.behave(({ socket }) => {
    socket.write('HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
  })
  expect((await routed.ask()).status).toBe(502)
})

it('an answer of events is streamed', async () => {
  let finish = () => {}
  routed.behave((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    finish = () => response.end('data: 2\n\n')
  })
  const { answer } = await begin()
  const [first] = (await once(answer, 'data')) as [Buffer]
  expect(first.toString()).toBe('data: 1\n\n')
  finish()
  expect(await text(answer)).toBe('data: 2\n\n')
})

it('an answer without a reader is not buffered, and ends with its reader', async () => {
  const part = Buffer.alloc(65_536)
  let [written, ended] = [0, false]
  routed.behave((_, response) => {
    response.once('close', () => (ended = true))
    const more = () => {
      while (!ended && written < 400_000_000) {
        written += part.length
        if (!response.write(part)) return void response.once('drain', more)
      }
    }
    more()
  })
  const client = connect(routed.port, '127.0.0.1').pause()
  const { host, owner } = routed
  client.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${owner.key}\r\n\r\n`)
  let before = 0
  const stands = () => {
    const still = written > 0 && written === before
    before = written
    return still
  }
  await vi.waitUntil(stands, { interval: 200, timeout: 30_000 })
  // About the size of four socket buffers, far below the size of the response.
  expect(written).toBeLessThan(50_000_000)
  client.destroy()
  await untilFound(() => ended)
})

it('an answer that its client cancels is cancelled at the agent', async () => {
  const left = Promise.withResolvers<void>()
  routed.behave((_, response) => {
    response.once('close', left.resolve)
    response.writeHead(200).write('x')
  })
  const { asked } = await begin()
  asked.destroy()
  await expect(left.promise).resolves.toBeUndefined()
})

it('a missing agent is an error', async () => {
  const address = { host: '127.0.0.1', port: await deadPort() }
  const dead = await routed.gate.agent(routed.owner.id, { address })
  const { withKey: headers, port, gate } = routed
  const { status, text: body } = await say(port, gate.hostOf(dead), { headers })
  expect(status).toBe(502)
  expect(JSON.parse(body)).toEqual({
    error: 'The agent cannot be reached',
    code: 'AGENT_UNREACHABLE',
  })
})

it('an agent that disconnects is an error, or its answer is cut off if it had begun', async () => {
  routed.behave(({ socket }) => socket.destroy())
  expect((await routed.ask()).status).toBe(502)
  routed.behave(({ socket }, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('half')
    setImmediate(() => socket.destroy())
  })
  await expect(routed.ask()).rejects.toThrow('aborted')
})
