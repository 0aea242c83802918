import { toFile } from 'openai'
import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { type Behaviour, fails, sendJson } from '../support/ai/upstream.ts'
import { silence } from '../support/ai/wave.ts'

const whisper = 'openai/whisper-1'
const model = 'openai/gpt-4o-transcribe'
const tokens = {
  type: 'tokens',
  input_tokens: 20,
  input_token_details: { text_tokens: 0, audio_tokens: 20 },
  output_tokens: 5,
  total_tokens: 25,
}

const wave = () => silence(2)

const file = () => toFile(wave(), 'silence.wav')

const sends =
  (text: string, contentType: string): Behaviour =>
  (response) =>
    void response.writeHead(200, { 'content-type': contentType }).end(text)

describe('the official client’s transcriptions', () => {
  const on = useAiFunction({ AI_SPEAKS: 'chat,transcriptions' })

  it('send the form on, and are priced by tokens', async () => {
    on.upstream.serve(model, (response) => sendJson(response, 200, { text: 'Hi', usage: tokens }))
    const answer = await on.caller.openai.audio.transcriptions.create({
      model,
      file: await file(),
      language: 'en',
    })
    expect(answer).toMatchObject({ text: 'Hi' })
    const [asked] = on.upstream.asked
    expect(asked).toMatchObject({ path: '/audio/transcriptions', body: { model, language: 'en' } })
    const sent = asked?.body.file as File
    expect(sent.name).toBe('silence.wav')
    expect(Buffer.from(await sent.arrayBuffer())).toEqual(wave())
    expect(await on.caller.events()).toMatchObject([
      {
        model,
        endpoint: '/v1/audio/transcriptions',
        inputTokens: 20,
        outputTokens: 5,
        costUsd: 0.0001,
        estimated: false,
      },
    ])
  })

  it.each<[string, string, Behaviour, number]>([
    [
      'the provider’s seconds',
      'json',
      (response) =>
        sendJson(response, 200, { text: 'Hi', usage: { type: 'duration', seconds: 3 } }),
      0.0003,
    ],
    [
      'the duration of verbose JSON',
      'verbose_json',
      (response) => sendJson(response, 200, { text: 'Hi', duration: 4 }),
      0.0004,
    ],
    [
      'the end of the subtitles',
      'srt',
      sends('1\n00:00:00,000 --> 00:00:05,000\nHi\n', 'text/plain; charset=utf-8'),
      0.0005,
    ],
    ['the file', 'text', sends('Hi\n', 'text/plain; charset=utf-8'), 0.0002],
  ])('are priced by %s', async (_, response_format, behaviour, costUsd) => {
    on.upstream.serve(whisper, behaviour)
    await on.caller.openai.audio.transcriptions.create({
      model: whisper,
      file: await file(),
      response_format: response_format as 'json',
    })
    expect(await on.caller.events()).toMatchObject([
      { inputTokens: 0, outputTokens: 0, costUsd, estimated: false },
    ])
  })

  it('cost what their text takes to speak, if the file states less', async () => {
    const short = wave()
    short.writeUInt32LE(0xffff_ffff, 28)
    on.upstream.serve(whisper, sends('x'.repeat(25_000), 'text/plain; charset=utf-8'))
    await on.caller.openai.audio.transcriptions.create({
      model: whisper,
      file: await toFile(short, 'forged.wav'),
      response_format: 'text',
    })
    expect(await on.caller.events()).toMatchObject([{ costUsd: 0.1 }])
  })

  it('cost the whole file if its subtitles end before', async () => {
    on.upstream.serve(whisper, sends('00:00.000 --> 00:01.000\nHi\n', 'text/vtt'))
    await on.caller.openai.audio.transcriptions.create({
      model: whisper,
      file: await file(),
      response_format: 'vtt',
    })
    expect(await on.caller.events()).toMatchObject([{ costUsd: 0.0002 }])
  })

  it('cost the maximum for its size, if the file states more than a day', async () => {
    const page = Buffer.alloc(750)
    page.write('OggS')
    // RFC 3533, 6: no packet ends on this page.
    page.writeBigInt64LE(-1n, 6)
    on.upstream.serve(whisper, sends('Hi', 'text/plain'))
    await on.caller.openai.audio.transcriptions.create({
      model: whisper,
      file: await toFile(page, 'long.ogg'),
      response_format: 'text',
    })
    expect(await on.caller.events()).toMatchObject([{ costUsd: 0.0001 }])
  })

  it('pass no other fields on, such as the address of a longer file', async () => {
    on.upstream.serve(model, (response) => sendJson(response, 200, { text: 'Hi', usage: tokens }))
    const others = { url: 'https://example.com/long.mp3', file_url: 'https://example.com/a.mp3' }
    const request = { model, file: await file(), temperature: 0, ...others }
    await on.caller.openai.audio.transcriptions.create(request)
    const [asked] = on.upstream.asked
    expect(Object.keys(asked!.body).sort()).toEqual(['file', 'model', 'temperature'])
  })

  it('refuse a second file', async () => {
    const form = new FormData()
    form.set('model', model)
    for (const size of [1, 1_000_000]) form.append('file', new Blob([Buffer.alloc(size)]), 'a.wav')
    const { baseURL, apiKey } = on.caller.openai
    const headers = { authorization: `Bearer ${apiKey}` }
    const url = `${baseURL}/audio/transcriptions`
    const answer = await fetch(url, { method: 'POST', headers, body: form })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { param: 'file' } })
    expect(on.upstream.asked).toEqual([])
  })

  it('return a text as the provider sent it', async () => {
    const sent = 'WEBVTT\n\n00:00.000 --> 00:01.500\nHi\n'
    on.upstream.serve(whisper, sends(sent, 'text/vtt'))
    const answer = await on.caller.openai.audio.transcriptions
      .create({ model: whisper, file: await file(), response_format: 'vtt' })
      .asResponse()
    expect(answer.headers.get('content-type')).toBe('text/vtt')
    expect(await answer.text()).toBe(sent)
  })

  it('are streamed', async () => {
    const events = [
      { type: 'transcript.text.delta', delta: 'Hi' },
      { type: 'transcript.text.done', text: 'Hi', usage: tokens },
    ]
    on.upstream.serve(model, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`)
      response.end()
    })
    const stream = await on.caller.openai.audio.transcriptions.create({
      model,
      file: await file(),
      stream: true,
    })
    const received: unknown[] = []
    for await (const event of stream) received.push(event)
    expect(received).toEqual(events)
    expect(await on.caller.events()).toMatchObject([{ inputTokens: 20, outputTokens: 5 }])
  })

  it('refuse audio over 5 MB', async () => {
    const large = await toFile(Buffer.alloc(5 * 1_048_576), 'large.wav')
    const refused = on.caller.openai.audio.transcriptions.create({ model, file: large })
    await expect(refused).rejects.toMatchObject({ status: 413, type: 'invalid_request_error' })
    expect(on.upstream.asked).toEqual([])
  })

  it('refuse a form of 80,000 fields as fast as a small one', async () => {
    const field = (i: number) => `--x\r\ncontent-disposition:form-data;name="${i}"\r\n\r\n\r\n`
    const { baseURL, apiKey } = on.caller.openai
    const answer = await fetch(`${baseURL}/audio/transcriptions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'multipart/form-data; boundary=x',
      },
      body: `${Array.from({ length: 80_000 }, (_, i) => field(i)).join('')}--x--`,
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { param: 'model' } })
  })

  it.each<[string, string, string]>([
    ['a form that breaks off', 'multipart/form-data; boundary=x', '--x\r\ncontent-disposition: f'],
    ['JSON', 'application/json', '{"model":"openai/whisper-1"}'],
  ])('refuse %s', async (_, type, body) => {
    const { baseURL, apiKey } = on.caller.openai
    const answer = await fetch(`${baseURL}/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': type },
      body,
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: { message: /multipart/, type: 'invalid_request_error' },
    })
  })

  it.each<[string, object]>([
    ['response_format', { response_format: 'pdf' }],
    ['model', { model: 'auto' }],
    ['file', { file: 'not a file' }],
  ])('refuse an invalid %s', async (param, fields) => {
    const request = { model, file: await file(), ...fields } as never
    const refused = on.caller.openai.audio.transcriptions.create(request)
    await expect(refused).rejects.toMatchObject({ status: 400, param })
    expect(on.upstream.asked).toEqual([])
  })

  it('try no other model', async () => {
    on.upstream.serve(model, fails(503))
    const refused = on.caller.openai.audio.transcriptions.create({ model, file: await file() })
    await expect(refused).rejects.toMatchObject({ status: 502, code: 'AI_UNAVAILABLE' })
    expect(on.upstream.asked).toHaveLength(1)
  })
})
