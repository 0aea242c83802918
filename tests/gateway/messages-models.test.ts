import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'

const sonnet = 'anthropic/claude-sonnet-4.5'

describe('models in Anthropic’s form', () => {
  const on = useAiFunction({})

  it('are listed in pages, and each by its name', async () => {
    const vendors = Array.from({ length: 8 }, (_, i) => ({ id: `vendor/model-${i}` }))
    on.upstream.list([{ id: sonnet, created: 1_790_000_000 }, ...vendors])
    const { models } = on.caller.anthropic
    const all: Anthropic.ModelInfo[] = []
    for await (const model of models.list({ limit: 4 })) all.push(model)
    const ids = all.map(({ id }) => id)
    expect(ids).toContain(sonnet)
    expect(new Set(ids).size).toBe(ids.length)
    const { data } = await on.caller.openai.models.list()
    expect(ids).toEqual(data.map(({ id }) => id))

    const page = await models.list({ before_id: ids[6]!, limit: 4 })
    expect(page).toMatchObject({ has_more: true, first_id: ids[2], last_id: ids[5] })
    const first = await models.list({ before_id: ids[2]!, limit: 4 })
    expect(first.data.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    expect(first.has_more).toBe(false)

    const one = { type: 'model', id: sonnet, created_at: '2026-09-21T14:13:20.000Z' }
    expect(await models.retrieve('vendor/model-1')).toMatchObject({
      created_at: '1970-01-01T00:00:00.000Z',
    })
    expect(await models.retrieve(sonnet)).toMatchObject(one)
    expect(await models.retrieve('claude-sonnet-4-5-20250929')).toMatchObject(one)
  })

  it('are refused in its form', async () => {
    const refused = await on.caller.anthropic.models
      .retrieve('nobody/nothing')
      .catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Anthropic.NotFoundError)
    const { error, requestID } = refused as InstanceType<typeof Anthropic.NotFoundError>
    expect(error).toMatchObject({
      type: 'error',
      error: { type: 'not_found_error', code: 'MODEL_NOT_FOUND' },
      request_id: requestID,
    })
    const { anthropic } = await on.gateway.newCaller('label')
    await expect(anthropic.models.retrieve(sonnet)).rejects.toThrow(/permission_error/)
    await expect(anthropic.models.list({ limit: 0 })).rejects.toThrow(/invalid_request_error/)
  })
})
