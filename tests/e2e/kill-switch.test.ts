import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, type TestUser } from '../support/http/client.ts'
import { agentProcesses } from '../support/stack/processes.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

let stack: OwnStack
let user: TestUser
let agentId: string

beforeAll(async () => {
  stack = await startOwnStack({ KILL_SWITCH: 'true' })
  user = await stack.newSubscriber()
  const made = await call(`${stack.now().backend}/api/agents`, {
    headers: stack.asInternal(user.id),
    body: { name: 'Quiet' },
  })
  agentId = String(made.body.id)
})
afterAll(() => stack?.[Symbol.asyncDispose]())

describe('while the kill switch is on', () => {
  it('nothing is provisioned', async () => {
    const { status, body } = await stack.askForAgent(user)
    expect([status, body]).toEqual([
      503,
      {
        error: expect.stringMatching(/cannot be started or stopped/) as string,
        code: 'PROVISIONING_DISABLED',
      },
    ])
    expect(await stack.agentsOf(user)).toHaveLength(1)
  })

  it.each(['start', 'stop', 'restart', 'repair', 'update', 'reset-memory'])(
    '%s returns 500',
    async (verb) => {
      const { status, body } = await stack.lifecycle(user, agentId, verb)
      expect(status).toBe(500)
      expect(body.error).toContain('cannot be started or stopped')
    },
  )

  it('a deployment returns 500', async () => {
    const { status } = await call(`${stack.now().backend}/api/deployments`, {
      headers: stack.asInternal(user.id),
      body: { agentId },
    })
    expect(status).toBe(500)
  })

  it('the backend reports it, and everything else works', async () => {
    const { body } = await call(`${stack.now().backend}/health`)
    expect(body).toMatchObject({ status: 'ok', docker: 'available', provisioning: 'disabled' })
    expect(await stack.agentOf(user, agentId)).toMatchObject({ status: 'pending' })
    expect(agentProcesses(stack.dataDir)).toEqual([])
  })

  it('each surface reports that its engines are available', async () => {
    const ready = async (surface: 'backend' | 'web') => {
      const { status, body } = await call(`${stack.now()[surface]}/health/ready`)
      expect([status, body.status]).toEqual([200, 'ready'])
      return body.checks
    }
    const onWeb = { database: true, queues: true }
    expect(await ready('web')).toEqual(onWeb)
    expect(await ready('backend')).toEqual({ ...onWeb, containers: true, provider: true })
  })
})
