/** The answer of a provider, byte for byte. */
export interface Sent {
  /** The Content-Type; absent for none. */
  type?: string
  body: string
  /** The Content-Encoding of the body, although the request did not accept it. */
  packed?: 'gzip' | 'br'
}

export interface Call {
  name: string
  arguments: unknown
}

/** An answer of a provider or a program that uses a variant of OpenAI's format. */
export interface Shape {
  vendor: string
  /** The difference from OpenAI's form. */
  how: string
  /** The vendor's page or the public thread that shows the answer. */
  source: string
  /**
   * The response to a request with `stream: true`, and without it. Absent: OpenAI's form, because the program differs
   * only in the other one.
   */
  stream?: Sent
  whole?: Sent
  expected: {
    content?: string
    calls?: readonly Call[]
    finish?: 'stop' | 'length' | 'tool_calls' | 'content_filter'
    /** The provider's token counts: [prompt, completion]. */
    usage?: readonly [number, number]
    /** Fields of the message, or of its first tool call, that the provider must get back, whole and streamed. */
    opaque?: { message?: Record<string, unknown>; call?: Record<string, unknown> }
  }
}

export const usage = { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 }
export const counted = [11, 4] as const
export const hello = 'Hello there.'
export const weather: readonly Call[] = [{ name: 'get_weather', arguments: { city: 'Oslo' } }]
export const weathers: readonly Call[] = [
  ...weather,
  { name: 'get_weather', arguments: { city: 'Rome' } },
]
export const oslo = '{"city":"Oslo"}'
export const called = { name: 'get_weather', arguments: oslo }
export const rome = { name: 'get_weather', arguments: '{"city":"Rome"}' }
/** The start of a call's first piece. */
export const begun = { index: 0, id: 'call_1', type: 'function' }

const frame = { id: 'chatcmpl-9', created: 1_764_000_000, model: 'their-name' }

/** One chunk, with `more` as additional fields. */
export function chunk(delta: object, finish: string | null = null, more: object = {}) {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return { ...frame, object: 'chat.completion.chunk', choices, ...more }
}

/** The chunk with the usage, as OpenAI sends it. */
export const lastChunk = { ...frame, object: 'chat.completion.chunk', choices: [], usage }

/** A delta with one part of a tool call. */
export function callDelta(part: object) {
  return { tool_calls: [part] }
}

/** Returns a stream of events: text is sent unchanged after `data: `. */
export function events(...data: readonly (object | string)[]): Sent {
  const lines = data.map(
    (one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`,
  )
  return { type: 'text/event-stream', body: lines.join('') }
}

/** Returns a stream of these raw lines. */
export function lines(body: string, type = 'text/event-stream; charset=utf-8'): Sent {
  return { type, body }
}

export function json(body: unknown, type = 'application/json'): Sent {
  return { type, body: JSON.stringify(body) }
}

/** A whole answer with this message. */
export function whole(message: object, finish: string | null = 'stop', more: object = {}) {
  const choices = [{ index: 0, message, finish_reason: finish }]
  return { ...frame, object: 'chat.completion', choices, usage, ...more }
}

export const said = { role: 'assistant', content: hello }

/** The text in two deltas, its end, and its usage. */
export const saidChunks = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Hello ' }),
  chunk({ content: 'there.' }),
  chunk({}, 'stop'),
]

/** A whole answer with one call. */
export function oneCall(more: object = {}, finish = 'tool_calls', id = 'call_1'): Sent {
  return json(
    whole(
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: called }],
        ...more,
      },
      finish,
    ),
  )
}
