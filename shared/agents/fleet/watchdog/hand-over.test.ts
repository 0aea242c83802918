import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Agent, agentKey } from '#shared/agents/record/agent.ts'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { warmPool } from '#tests/support/agents/warm-pool.ts'

let fleet: Fleet
beforeAll(async () => {
  fleet = await startFleet({ settings: { WARM_CONTAINERS: 'label=1' } })
})
afterAll(() => fleet.close())

const { untilReady } = warmPool(() => fleet)

/** Assigns a warm container to an agent and returns it with the message that notifies the container. */
async function given() {
  await untilReady()
  const agent = await fleet.started()
  for (const { body } of fleet.sent.splice(0)) await fleet.consume(body)
  const message = fleet.sent.splice(0).find(({ queue }) => queue === 'hand-overs')
  return { agent: await fleet.row(agent), message: message?.body }
}

/** Responds in place of an agent's container. */
async function standIn(agent: Agent, answer: RequestListener): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const address = { host: '127.0.0.1', port }
  await fleet.table.update(agentKey({ userId: agent.userId, agentId: agent.id }), {
    set: { address },
  })
}

describe('a container that is notified of its agent', () => {
  it('is notified again until it runs as the agent, if its request fails', async () => {
    const { agent, message } = await given()
    let knocks = 0
    await standIn(agent, ({ url }, response) => {
      if (url === '/start') knocks++
      const is = knocks < 3 ? 'wrm_00000000000000000000000000' : agent.id
      response.setHeader('agent-id', is).end()
    })
    await fleet.handOver(message)
    expect(knocks).toBe(3)
    expect(await fleet.row(agent)).toMatchObject({ status: 'running' })
  })

  it('is stopped if it reports another agent', async () => {
    const { agent, message } = await given()
    await standIn(agent, (_request, response) => {
      response.setHeader('agent-id', 'agt_00000000000000000000000000').end()
    })
    await fleet.handOver(message)
    expect(await fleet.row(agent)).toMatchObject({ status: 'provisioning' })
    expect(fleet.sent.map(({ body }) => body)).toContainEqual(
      expect.objectContaining({ kind: 'stop', taskArn: agent.taskArn }),
    )
  })
})
