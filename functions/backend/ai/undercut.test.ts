import { describe, expect, it } from 'vitest'
import { keyHolder, solo } from '#tests/support/ai/callers.ts'
import { hello, quotaOf, useGateway } from '#tests/support/ai/gateway.ts'
import { says, usage } from '#tests/support/ai/upstream.ts'

const model = 'openai/gpt-4o'

const on = useGateway()

describe('the reservation of a call', () => {
  const longName = 'n'.repeat(300_000)

  /** Tokens that a call reserves for its prompt, without the answer. */
  async function heldFor(message: object): Promise<number> {
    let reserved = 0
    const { userId, headers } = await keyHolder(on.table, solo)
    on.upstream.serve(model, async (response, asked) => {
      reserved = Number((await quotaOf(on.table, userId))?.committed)
      return says('x', usage(1, 1))(response, asked)
    })
    const answer = await on.gateway.chat({ messages: [message], model, max_tokens: 1 }, { headers })
    expect(answer.status).toBe(200)
    return reserved - 1
  }

  it.each([
    ['a speaker’s name', { role: 'user', content: 'hi', name: longName }],
    ['a refusal', { role: 'assistant', content: 'hi', refusal: longName }],
    ['a tool call’s id', { role: 'tool', content: 'hi', tool_call_id: longName }],
  ])('includes %s', async (_, message) => {
    expect(await heldFor(message)).toBeGreaterThanOrEqual(100_000)
  })

  it.each([
    ['address', { file_data: 'https://example.com/library.pdf', filename: 'a.pdf' }],
    ['id', { file_id: 'file-1' }],
  ])('includes the largest possible size of a file that is only named: by %s', async (_, file) => {
    const content = [{ type: 'file', file }]
    expect(await heldFor({ role: 'user', content })).toBeGreaterThan(100_000)
  })

  it('includes exactly the bytes of an inline file', async () => {
    const file = { filename: 'a.txt', file_data: `data:text/plain;base64,${'eHl6'.repeat(3000)}` }
    const held = await heldFor({ role: 'user', content: [{ type: 'file', file }] })
    expect(held).toBeGreaterThan(4000)
    expect(held).toBeLessThan(6000)
  })

  it.each([
    ['packed', { filename: 'data:text/plain', file_data: 'data:application/pdf;base64,eHl6' }],
    ['of an unknown type', { filename: 'a.pdf', file_data: 'eHl6' }],
  ])('includes the largest possible size of a file which is %s', async (_, file) => {
    const content = [{ type: 'file', file }]
    expect(await heldFor({ role: 'user', content })).toBeGreaterThan(100_000)
  })

  it('includes the bytes of an audio input', async () => {
    const input_audio = { data: 'eHl6'.repeat(3000), format: 'mp3' }
    const held = await heldFor({ role: 'user', content: [{ type: 'input_audio', input_audio }] })
    expect(held).toBeGreaterThan(4000)
  })
})

describe('an image', () => {
  /** The header of a PNG, which contains its size. */
  const png = (width: number, height: number) => {
    const bytes = Buffer.alloc(33)
    bytes.write('89504e470d0a1a0a0000000d49484452', 'hex')
    bytes.writeUInt32BE(width, 16)
    bytes.writeUInt32BE(height, 20)
    return `data:image/png;base64,${bytes.toString('base64')}`
  }
  const remote = 'https://example.com/a.png'
  const max = 48_169

  /** Tokens that an image adds to the reservation of a call with this model and its fallbacks. */
  async function imageHeld(asked: string, image: object): Promise<number> {
    const heldWith = async (parts: object[]) => {
      let reserved = 0
      const { userId, headers } = await keyHolder(on.table, { ...solo, plan: 'collective' })
      on.upstream.serve(asked, async (response, question) => {
        reserved = Number((await quotaOf(on.table, userId))?.committed)
        return says('x', usage(1, 1))(response, question)
      })
      const content = [{ type: 'text', text: 'hi' }, ...parts]
      const body = { messages: [{ role: 'user', content }], model: asked, max_tokens: 1 }
      expect((await on.gateway.chat(body, { headers })).status).toBe(200)
      return reserved
    }
    const part = { type: 'image_url', image_url: image }
    return (await heldWith([part])) - (await heldWith([]))
  }

  it.each<[string, object, number]>([
    // The fallback Gemini, of the fast tier, counts 258 per crop of 500 × 500, then of 768 × 768.
    ['anthropic/claude-3.5-sonnet', { url: png(750, 1000) }, 1032],
    ['anthropic/claude-3.5-sonnet', { url: png(8000, 8000) }, 4128],
    ['anthropic/claude-3.5-sonnet', { url: remote }, 4128],
    // OpenAI's most expensive model, gpt-4o-mini, counts 2,833 plus 5,667 per tile.
    ['openai/gpt-4o', { url: png(512, 512) }, 8500],
    ['openai/gpt-4o', { url: png(1024, 1024), detail: 'high' }, 25_501],
    ['openai/gpt-4o', { url: png(2048, 4096), detail: 'auto' }, 36_835],
    ['openai/gpt-4o', { url: png(9000, 9000), detail: 'low' }, 4128],
    ['openai/gpt-4o', { url: remote }, max],
    ['openai/gpt-4o', { url: 'data:image/png;base64,AAAA' }, max],
    ['openai/gpt-4o', { url: 'data:image/png;base64,AAAA', detail: 'low' }, 4128],
    ['xiaomi/mimo-v2-pro', { url: png(10, 10) }, max],
  ])(
    'is reserved by the most expensive rule of the models that may answer: %s, %j',
    async (...given) => {
      const [request, image, tokens] = given
      expect(await imageHeld(request, image)).toBe(tokens)
    },
  )

  const dataUrl = (type: string, ...parts: (Uint8Array | number[])[]) => {
    const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)))
    return `data:image/${type};base64,${bytes.toString('base64')}`
  }
  const start = [0xff, 0xd8]
  const end = [0xff, 0xd9]
  const segment = (marker: number, body: number[]) => [0xff, marker, 0, body.length + 2, ...body]
  const words = (...given: number[]) => given.flatMap((word) => [word >> 8, word & 255])
  /** The frame header of a JPEG; 0xc0 is the baseline one. */
  const frame = (width: number, height: number, marker = 0xc0) =>
    segment(marker, [8, ...words(height, width), 1, 1, 0x11, 0])
  const table = segment(
    0xdb,
    Array.from({ length: 65 }, () => 1),
  )
  const scan = [...segment(0xda, [1, 1, 0, 0, 63, 0]), 0x12, 0x34]
  const tag = segment(0xe0, [...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0])
  const text = (value: string) => Buffer.from(value, 'latin1')
  const pngStart = [0x89, ...Buffer.from('PNG\r\n\x1a\n', 'latin1')]

  it.each<[string, string, number]>([
    ['a JPEG', dataUrl('jpeg', start, tag, table, frame(512, 512), scan, end), 8500],
    [
      'a JPEG followed by a small one',
      dataUrl('jpeg', start, frame(1024, 1024), table, scan, end, frame(1, 1)),
      25_501,
    ],
    [
      'a JPEG of another coding, followed by a small header',
      dataUrl('jpeg', start, tag, frame(1024, 1024, 0xc9), frame(1, 1), scan, end),
      25_501,
    ],
    [
      'a JPEG with padding that hides its header',
      dataUrl('jpeg', start, [0xff], frame(1024, 1024), new Uint8Array(49_153), frame(1, 1)),
      max,
    ],
    ['a JPEG without a header', dataUrl('jpeg', start, tag, table, scan, frame(1, 1)), max],
    ['a truncated JPEG', dataUrl('jpeg', start, tag, [0xff, 0xc0]), max],
    [
      'a GIF with a larger first frame',
      dataUrl('gif', text('GIF89a'), [1, 0, 1, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 0, 8, 0, 8, 0]),
      max,
    ],
    [
      'a PNG that begins with a fake header',
      dataUrl('png', pngStart, text('\0\0\0\x40CgBI'), text('\0'.repeat(12)), [
        ...Buffer.from('IHDR'),
        ...words(0, 1, 0, 1),
        ...new Uint8Array(60),
      ]),
      max,
    ],
    ['base64 that decoders read differently', `${png(1, 1)}-_`, max],
  ])('is reserved by the size that a decoder finds: %s', async (_, url, tokens) => {
    expect(await imageHeld('openai/gpt-4o', { url })).toBe(tokens)
  })

  it.each([
    ['messages.0.content.0.type', { type: 'video_url', video_url: { url: remote } }],
    ['messages.0.content.0.image_url', { type: 'image_url' }],
    ['messages.0.content.0.image_url.url', { type: 'image_url', image_url: {} }],
    [
      'messages.0.content.0.image_url.detail',
      { type: 'image_url', image_url: { url: remote, detail: 'x' } },
    ],
    ['messages.0.content.0.input_audio', { type: 'input_audio' }],
    ['messages.0.content.0.text', { type: 'text' }],
  ])(
    'an image or another part without a known price is rejected by its field, %s',
    async (param, part) => {
      const answer = await on.gateway.chat({ messages: [{ role: 'user', content: [part] }] })
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({ error: { param } })
      expect(on.upstream.asked).toEqual([])
    },
  )
})

describe('a tool', () => {
  const ask = (tool: object) => on.gateway.chat({ ...hello, model, tools: [tool] })

  it.each([
    [{ type: 'function', function: { name: 'f' } }],
    [{ type: 'custom', custom: { name: 'c' } }],
  ])('a tool of the caller is forwarded to the model: %o', async (tool) => {
    on.upstream.serve(model, says('x', usage(1, 1)))
    expect((await ask(tool)).status).toBe(200)
    expect(on.upstream.asked.at(-1)?.body.tools).toEqual([tool])
  })

  it.each([
    [{ type: 'openrouter:web_search' }],
    [{ type: 'web_search_preview' }],
    [{ type: 'live_search', sources: [{ type: 'web' }] }],
  ])('a tool that the provider bills separately is removed: %o', async (tool) => {
    on.upstream.serve(model, says('x', usage(1, 1)))
    const answer = await ask(tool)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { param: 'tools.0.type' } })
    expect(on.upstream.asked).toEqual([])
  })
})
