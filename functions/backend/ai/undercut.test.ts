import { describe, expect, it } from 'vitest'
import { keyHolder, solo } from '../../../tests/support/ai-callers.ts'
import { hello, quotaOf, useGateway } from '../../../tests/support/gateway.ts'
import { says, usage } from '../../../tests/support/upstream.ts'

const model = 'openai/gpt-4o'

const on = useGateway()

describe('what a call may use', () => {
  const longName = 'n'.repeat(300_000)

  /** Tokens that a call with this message holds while a model is at it, beside those of its answer. */
  async function heldFor(message: object): Promise<number> {
    let held = 0
    const { userId, headers } = await keyHolder(on.table, solo)
    on.upstream.serve(model, async (response, asked) => {
      held = Number((await quotaOf(on.table, userId))?.committed)
      return says('x', usage(1, 1))(response, asked)
    })
    const answer = await on.gateway.chat({ messages: [message], model, max_tokens: 1 }, { headers })
    expect(answer.status).toBe(200)
    return held - 1
  }

  it.each([
    ['a speaker’s name', { role: 'user', content: 'hi', name: longName }],
    ['a refusal', { role: 'assistant', content: 'hi', refusal: longName }],
    ['the id of a call', { role: 'tool', content: 'hi', tool_call_id: longName }],
  ])('is held with %s', async (_, message) => {
    expect(await heldFor(message)).toBeGreaterThanOrEqual(100_000)
  })

  it.each([
    ['address', { file_data: 'https://example.com/library.pdf', filename: 'a.pdf' }],
    ['id', { file_id: 'file-1' }],
  ])('is held with all that a file may have which is only named: by %s', async (_, file) => {
    const content = [{ type: 'file', file }]
    expect(await heldFor({ role: 'user', content })).toBeGreaterThan(100_000)
  })

  it('is held with the bytes of a file that is brought along, and no more', async () => {
    const file = { filename: 'a.txt', file_data: `data:text/plain;base64,${'eHl6'.repeat(3000)}` }
    const held = await heldFor({ role: 'user', content: [{ type: 'file', file }] })
    expect(held).toBeGreaterThan(4000)
    expect(held).toBeLessThan(6000)
  })
})

describe('a tool', () => {
  const ask = (tool: object) => on.gateway.chat({ ...hello, model, tools: [tool] })

  it.each([
    [{ type: 'function', function: { name: 'f' } }],
    [{ type: 'custom', custom: { name: 'c' } }],
  ])('of the caller’s own goes on to the model: %o', async (tool) => {
    on.upstream.serve(model, says('x', usage(1, 1)))
    expect((await ask(tool)).status).toBe(200)
    expect(on.upstream.asked.at(-1)?.body.tools).toEqual([tool])
  })

  it.each([
    [{ type: 'openrouter:web_search' }],
    [{ type: 'web_search_preview' }],
    [{ type: 'live_search', sources: [{ type: 'web' }] }],
  ])('of the provider’s, which it bills by itself, is not bought: %o', async (tool) => {
    on.upstream.serve(model, says('x', usage(1, 1)))
    const answer = await ask(tool)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { param: 'tools.0.type' } })
    expect(on.upstream.asked).toEqual([])
  })
})
