import { afterAll, beforeAll, expect, it } from 'vitest'
import { say } from '#tests/support/agents/agent-hosts.ts'
import { type RoutedAgent, startRoutedAgent } from '#tests/support/agents/routed-agent.ts'

let routed: RoutedAgent
beforeAll(async () => {
  routed = await startRoutedAgent()
})
afterAll(() => routed.close())

it('refused requests count against the limit of the connection’s address, not of an address that the client sends', async () => {
  const { port, host, withKey } = routed
  // The limit is at most 300 per minute, and all requests are within two minutes.
  const junk = Array.from({ length: 602 }, async (_, i) => {
    const invented = `198.51.100.${i % 250}`
    const headers = { 'x-router-client': invented, 'x-forwarded-for': invented }
    return (await say(port, host, { headers })).status
  })
  expect(new Set(await Promise.all(junk))).toEqual(new Set([401, 429]))
  expect((await say(port, host, { headers: withKey })).status).toBe(200)
})
