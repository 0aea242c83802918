import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serve } from '#tests/support/agents/agent-hosts.ts'
import { type RoutedAgent, startRoutedAgent } from '#tests/support/agents/routed-agent.ts'

let routed: RoutedAgent

beforeAll(async () => {
  routed = await startRoutedAgent()
})
afterAll(() => routed.close())

it('survives a failed upgrade during an earlier request of its connection', async () => {
  const agent = await serve((_, response) => void response.write('begun'))
  agent.server.on('upgrade', (_, socket: Socket) => socket.destroy())
  await routed.move(agent.port)
  const client = connect(routed.port, '127.0.0.1')
  const head = `Host: ${routed.host}\r\nAuthorization: ${routed.withKey.authorization}\r\n`
  client.write(`GET / HTTP/1.1\r\n${head}\r\n`)
  client.once('data', () =>
    client.write(`GET / HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`),
  )
  expect(await text(client)).not.toContain('AGENT_UNREACHABLE')
  await routed.move(routed.address.port)
  expect((await routed.ask('/')).status).toBe(200)
  await agent.close()
})
