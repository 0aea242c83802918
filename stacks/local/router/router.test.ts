import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { routerSecret as secret, say, serve } from '#tests/support/agents/agent-hosts.ts'
import { deadPort, type RoutedAgent, startRoutedAgent } from '#tests/support/agents/routed-agent.ts'
import { startRouter } from './router.ts'

let routed: RoutedAgent

beforeAll(async () => {
  routed = await startRoutedAgent()
})
afterAll(() => routed.close())

it('the router ends every connection when it closes', async () => {
  const router = await startRouter({ port: 0, backendUrl: routed.gate.url, secret })
  routed.behave((_, response) => void response.writeHead(200).write('x'))
  const headers = { host: routed.host, ...routed.withKey }
  const socket = new WebSocket(`ws://127.0.0.1:${router.port}`, { headers })
  await once(socket, 'open')
  const asked = request({ port: router.port, headers }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  const ended = Promise.all([once(socket, 'close'), text(answer).catch(() => 'cut')])
  await router.close(10)
  expect((await ended)[1]).toBe('cut')
  await expect(say(router.port, routed.host)).rejects.toThrow('ECONNREFUSED')
})

it('returns an error without a platform behind it', async () => {
  const backendUrl = `http://127.0.0.1:${await deadPort()}`
  const router = await startRouter({ port: 0, backendUrl, secret })
  const { status, text: body } = await say(router.port, routed.host, { headers: routed.withKey })
  await router.close(0)
  expect(status).toBe(502)
  expect(JSON.parse(body)).toMatchObject({ code: 'GATE_UNREACHABLE' })
})

it('rejects a gate’s permission without a target', async () => {
  const silly = await serve((_, response) => response.end('{}'))
  const router = await startRouter({ port: 0, backendUrl: silly.url, secret })
  const { status, text: body } = await say(router.port, routed.host, { headers: routed.withKey })
  await router.close(0)
  await silly.close()
  expect(status).toBe(502)
  expect(JSON.parse(body)).toMatchObject({ code: 'GATE_UNREACHABLE' })
})
