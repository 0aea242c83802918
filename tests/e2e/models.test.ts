import { describe, expect, it } from 'vitest'
import { eventsOf } from '../support/ai/gateway.ts'
import { eventually } from '../support/clock/eventually.ts'
import { asInternal, call, sharedTable, stack } from '../support/stack/platform.ts'

const echo = {
  id: 'local/echo',
  name: 'local/echo',
  provider: 'local',
  description: null,
  tags: [],
  inputCost: 0,
  outputCost: 0,
  contextWindow: null,
  available: true,
}

const ask = (path: string, body?: unknown) =>
  call(`${stack().backend}/api/ai/${path}`, {
    headers: asInternal(),
    ...(body !== undefined && { body }),
  })

describe('a stack without a model provider of its own', () => {
  it('has the stand-in, which is healthy', async () => {
    const { status, body } = await ask('health')
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'healthy',
      providers: { local: true },
      timestamp: expect.any(String),
    })
  })

  it('lists the stand-in’s model, and no model without a provider', async () => {
    const timestamp = expect.any(String)
    expect((await ask('models')).body).toEqual({ models: [echo], count: 1, local: 1, timestamp })
    expect((await ask('models/local')).body).toEqual({
      provider: 'local',
      models: [echo],
      count: 1,
      timestamp,
    })
    expect((await ask('models/router')).status).toBe(404)
    const { body } = await call(`${stack().web}/api/models`)
    expect(body).toMatchObject({ models: [{ id: 'local/echo', inputCost: 0 }], count: 1 })
  })

  it('selects the stand-in for every task, at no cost', async () => {
    const chosen = await ask('models/select', { taskType: 'reasoning' })
    expect(chosen.body.model).toEqual({ id: 'local/echo', provider: 'local' })
    const estimate = await ask('estimate-cost', {
      model: 'local/echo',
      inputTokens: 1_000_000,
      outputTokens: 1,
    })
    expect(estimate.body).toMatchObject({ estimatedCost: 0, currency: 'USD' })
  })

  it('answers anyone in the demo, and records it', async () => {
    const url = `${stack().web}/api/demo/chat`
    const listed = await call(url)
    expect(listed.body.models).toHaveLength(6)
    const message = `Hello ${crypto.randomUUID()}`
    const { status, body, headers } = await call(url, { body: { message } })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(body).toMatchObject({ model: 'local/echo', done: true })
    expect(body.message).toMatch(new RegExp(`You said: ${message}$`))
    const { prompt_tokens, completion_tokens } = body.usage as Record<string, number>
    await eventually(async () => {
      const events = await eventsOf(sharedTable(), 'demo')
      expect(events).toContainEqual(
        expect.objectContaining({
          agentId: 'demo-chat',
          model: 'local/echo',
          inputTokens: prompt_tokens,
          outputTokens: completion_tokens,
          costUsd: 0,
          endpoint: '/api/demo/chat',
        }),
      )
    })
  })
})
