import { describe, expect, it } from 'vitest'
import { hello, useGateway } from '#tests/support/ai/gateway.ts'
import { says, sendJson, usage } from '#tests/support/ai/upstream.ts'

const on = useGateway({ AI_API_KEY: 'provider-key' })

const model = 'openai/gpt-4o'

describe('a provider’s error', () => {
  const message = 'The prompt is too long'
  const own = { code: 'context_length_exceeded', param: 'messages' }

  it.each<[string, object, object]>([
    // https://platform.openai.com/docs/guides/error-codes
    ['OpenAI', { error: { message, type: 'invalid_request_error', ...own } }, own],
    // https://github.com/vllm-project/vllm/blob/v0.10.0/vllm/entrypoints/openai/protocol.py
    [
      'vLLM',
      { object: 'error', message, type: 'BadRequestError', param: 'messages', code: 400 },
      { param: 'messages' },
    ],
    // https://ai.google.dev/gemini-api/docs/troubleshooting
    [
      'Google',
      [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }],
      { code: 'INVALID_ARGUMENT' },
    ],
    // https://docs.x.ai/docs/key-information/debugging
    [
      'xAI',
      { code: 'Client specified an invalid argument', error: message },
      { code: 'Client specified an invalid argument' },
    ],
    // https://openrouter.ai/docs/api-reference/errors
    [
      'OpenRouter',
      {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: { raw: JSON.stringify({ error: { message, ...own } }) },
        },
      },
      own,
    ],
    // https://fastapi.tiangolo.com/tutorial/handling-errors/
    ['FastAPI', { detail: [{ loc: ['body', 'messages'], msg: message }] }, {}],
    // https://docs.mistral.ai/api
    ['Mistral', { object: 'error', message: { detail: [{ msg: message }] }, code: null }, {}],
    // https://developers.cloudflare.com/workers-ai/platform/errors/
    ['Cloudflare', { success: false, errors: [{ code: 5006, message }] }, {}],
    // https://lmstudio.ai/docs/developer/openai-compat
    ['LM Studio', { error: message }, {}],
  ])(
    'a provider’s error in the format of %s keeps its text, code and parameter',
    async (_, body, { code, param }: { code?: string; param?: string }) => {
      on.upstream.serve(model, (response) => sendJson(response, 400, body))
      const answer = await on.gateway.chat({ ...hello, model })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toEqual({
        error: {
          message,
          type: 'invalid_request_error',
          code: code ?? 'UPSTREAM_REJECTED',
          param: param ?? null,
          ...(code && { platformCode: 'UPSTREAM_REJECTED' }),
        },
      })
      const platform = await on.gateway.aiChat({ ...hello, model })
      expect(await platform.json()).toMatchObject({
        success: false,
        error: message,
        code: 'UPSTREAM_REJECTED',
        ...((code || param) && { upstream: { code: code ?? null, param: param ?? null } }),
      })
    },
  )

  it.each<[string, object]>([
    // https://platform.minimax.io/docs/api-reference/errorcode
    [
      'an error with status 200',
      { choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
    ],
    ['an error at the top level', { object: 'error', message, code: 40_303 }],
  ])('a provider that reports %s is replaced by the next model', async (_, body) => {
    on.upstream.serve(model, (response) => sendJson(response, 200, body))
    on.upstream.serve('openai/gpt-4o-mini', says('instead', usage(1, 1)))
    const answer = await on.gateway.chat({ ...hello, model })
    expect(await answer.json()).toMatchObject({ model: 'openai/gpt-4o-mini' })
  })
})

describe('paths below /v1', () => {
  const ask = async (...given: Parameters<typeof on.gateway.ask>) => {
    const { status, headers, ...answer } = await on.gateway
      .ask(...given)
      .then(async (response) => ({
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as { error: object },
      }))
    return { status, headers, ...answer }
  }
  const refused = (type: string, code: string | null, param: string | null = null) => ({
    error: expect.objectContaining({ message: expect.any(String), type, code, param }),
  })

  it.each(['openai/gpt-4o', 'openai%2Fgpt-4o'])('return one model by its id: %s', async (id) => {
    const { status, body } = await ask('GET', `/v1/models/${id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: 'openai/gpt-4o', object: 'model', owned_by: 'openai' })
    const { data } = (await (await on.gateway.models()).json()) as { data: object[] }
    const { providers, ...listed } = body as { providers?: string[] }
    expect(providers).toEqual(['router'])
    expect(data).toContainEqual(listed)
  })

  it('reject a model outside the plan, and an unlisted one', async () => {
    const outside = await ask('GET', '/v1/models/acme/none')
    expect([outside.status, outside.body]).toEqual([
      403,
      refused('permission_error', 'MODEL_RESTRICTED', 'model'),
    ])
    const unlisted = await ask('GET', '/v1/models/acme/none', {
      headers: { 'x-user-plan': 'network' },
    })
    expect([unlisted.status, unlisted.body]).toEqual([
      404,
      refused('not_found_error', 'MODEL_NOT_FOUND', 'model'),
    ])
  })

  it('have errors in OpenAI’s format for an unknown path, a wrong method and a missing key', async () => {
    const unknown = await ask('POST', '/v1/engines/x/completions')
    expect([unknown.status, unknown.body]).toEqual([404, refused('not_found_error', null)])
    const wrong = await ask('DELETE', '/v1/chat/completions')
    expect([wrong.status, wrong.body]).toEqual([405, refused('invalid_request_error', null)])
    expect(wrong.headers.get('allow')).toBe('POST')
    for (const authorization of [undefined, 'Bearer sk_unknown']) {
      const keyless = await ask('GET', '/v1/models', { headers: { authorization } })
      expect([keyless.status, keyless.body]).toEqual([401, refused('authentication_error', null)])
      expect(keyless.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  it('accept bodies of at most 5 MB', async () => {
    on.upstream.serve(model, says('ok', usage(1, 1)))
    const of = (bytes: number) => {
      const body = JSON.stringify({ ...hello, model, metadata: { a: '' } })
      return body.replace('"a":""', `"a":"${'x'.repeat(bytes - body.length)}"`)
    }
    expect((await on.gateway.chat(of(5 * 1_048_576))).status).toBe(200)
    const answer = await on.gateway.chat(of(5 * 1_048_576 + 1))
    expect([answer.status, await answer.json()]).toEqual([
      413,
      refused('invalid_request_error', null),
    ])
  })
})
