import { describe, expect, it } from 'vitest'
import { startGateway, useGateway } from '#tests/support/ai/gateway.ts'
import { isSilent, says, sendJson, usage } from '#tests/support/ai/upstream.ts'

const on = useGateway({ AI_SPEAKS: ['chat', 'messages'] })

const model = 'anthropic/claude-sonnet-4.5'
const hello = { model, max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] }

const network = { headers: { 'x-user-plan': 'network' } }

function serve() {
  on.upstream.serve(model, (response) =>
    sendJson(response, 200, {
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: 7 },
    }),
  )
}

describe('a request for a provider that serves Messages', () => {
  it.each([
    { models: ['anthropic/claude-opus-4'] },
    { route: 'fallback' },
    { provider: { order: ['x'] } },
    { preset: 'mine' },
    { plugins: [{ id: 'web' }] },
    { web_search_options: {} },
    { fallbacks: [{ model: 'claude-opus-4' }] },
    { mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'x' }] },
    { container: 'c' },
    { speed: 'fast' },
    { inference_geo: 'us' },
  ])('is refused with a field that adds uncounted cost: %o', async (field) => {
    serve()
    const answer = await on.gateway.messages({ ...hello, ...field }, network)
    const [name] = Object.keys(field)
    expect(await answer.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringContaining(`${name}: `) },
    })
    expect(answer.status).toBe(400)
    expect(on.upstream.asked).toEqual([])
  })

  it('reaches the provider without unknown fields, and the response names them', async () => {
    serve()
    const known = { top_k: 3, cache_control: { type: 'ephemeral' }, context_management: {} }
    const unknown = { nobodys: 1, premium: true }
    const answer = await on.gateway.messages({ ...hello, ...known, ...unknown }, network)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-ignored-fields')).toBe('nobodys, premium')
    expect(on.upstream.asked[0]?.body).toEqual({ ...hello, ...known, stream: false })
    await on.gateway.countTokens({ ...hello, ...unknown }, network)
    expect(on.upstream.asked[1]?.body).not.toHaveProperty('nobodys')
  })

  it('is refused with an edit that summarizes, because its tokens are missing in the usage', async () => {
    serve()
    const edit = (type: string) =>
      on.gateway.messages({ ...hello, context_management: { edits: [{ type }] } }, network)
    expect((await edit('clear_tool_uses_20250919')).status).toBe(200)
    const refused = await edit('compact_20260112')
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('context_management.edits.0.type')
    expect(on.upstream.asked).toHaveLength(1)
  })
})

describe('a translated request', () => {
  it.each([
    ['are nested too deeply', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['have too many values', `[${'[],'.repeat(100_000)}0]`],
  ])('ignores opaque fields that %s', async (_, value) => {
    on.upstream.serve(model, says('Hi', usage(10, 7)))
    const gateway = startGateway(on.table, { AI_BASE_URL: on.upstream.baseUrl })
    const data = `chat.${Buffer.from(`{"message":{"more":${value}}}`).toString('base64url')}`
    const messages = [
      ...hello.messages,
      { role: 'assistant', content: [{ type: 'redacted_thinking', data }] },
      ...hello.messages,
    ]
    expect((await gateway.messages({ ...hello, messages }, network)).status).toBe(200)
    expect(on.upstream.asked[0]?.body.messages).toEqual([
      ...hello.messages,
      { role: 'assistant', content: null },
      ...hello.messages,
    ])
  })
})

describe('a count of tokens', () => {
  it('a caller that leaves during a count of tokens does not count as a failure of the platform', async () => {
    on.upstream.serve(model, isSilent)
    const caller = new AbortController()
    const counting = on.gateway.countTokens(hello, { ...network, signal: caller.signal })
    await expect.poll(() => on.upstream.asked.length).toBe(1)
    caller.abort()
    expect((await counting).status).toBe(400)
  })
})
