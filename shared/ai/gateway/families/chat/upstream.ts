import { isHeartbeat, serverSentEvents } from '#shared/platform/http-client/events.ts'
import { isShallow } from '#shared/platform/json.ts'
import type { Chunk, Completion } from '../../answers/form.ts'
import { type ChunkReader, createChunkReader } from '../../answers/read-chunk.ts'
import { asChunk, joinChunks, readCompletion } from '../../answers/read-completion.ts'
import { failureIn, UpstreamFailure } from '../../providers/failure.ts'
import { text } from '../../providers/http.ts'
import {
  deepest,
  drain,
  maxEventBytes,
  maxInChunk,
  maxInWhole,
  parsed,
  resumed,
  tooLong,
} from '../../providers/post.ts'
import type { Provider, Route } from '../../providers/provider.ts'
import { type ChatAttempt, postChat, postForStream } from './post.ts'

/** The last event of OpenAI's streams. */
const done = '[DONE]'

type StreamEvent = { event?: string | undefined; data: string }

/**
 * Requests a whole answer from one model.
 * @throws UpstreamFailure
 */
export async function askWhole(attempt: ChatAttempt): Promise<Completion> {
  const answer = await postChat(attempt, { stream: false })
  return wholeIn(await text(answer, attempt.silent), answer.status, attempt.route)
}

/** Reads a whole answer from a body. Some providers send a stream even if none was requested. */
async function wholeIn(body: string, status: number, route: Route): Promise<Completion> {
  if (beginsAsStream.test(body)) {
    const chunks: Chunk[] = []
    const whole = { body: [Buffer.from(body)], close() {} }
    for await (const chunk of chunksOf(whole, route)) chunks.push(chunk)
    const joined = joinChunks(chunks, route.id)
    if (joined === undefined) throw new UpstreamFailure('the stream is empty', status)
    return joined
  }
  const value = parseWhole(body)
  const failure = failureIn(value, route.provider)
  if (failure !== undefined) throw failure
  // The value is passed on unchanged, and serializing a deeply nested one would overflow the stack.
  if (!isShallow(value, deepest)) throw new UpstreamFailure('the answer is nested too deeply')
  const completion = readCompletion(value, route.id)
  if (completion === undefined)
    throw new UpstreamFailure('the answer is not a chat completion', status)
  return completion
}

/** The start of an event stream: a field's name or a comment, after white space. */
const beginsAsStream = /^\s*(data|event|id|retry)?:/

function parseWhole(body: string): unknown {
  // Some servers end a whole answer as they end a stream.
  const trimmed = body.trimEnd()
  const before = trimmed.endsWith(done) ? trimmed.slice(0, -done.length).trimEnd() : ''
  const json = before.endsWith('data:') ? before.slice(0, -'data:'.length) : body
  return parsed(json, maxInWhole, 'the answer is not JSON')
}

/**
 * Requests a streamed answer from one model, and returns when its first chunk arrives: until then, the caller has
 * received nothing and another model can be tried. A whole answer to a request for a stream is one chunk.
 * @throws UpstreamFailure, also while the chunks are read, if the stream is interrupted
 */
export async function askStream(attempt: ChatAttempt): Promise<AsyncGenerator<Chunk>> {
  const answer = await postForStream(attempt)
  const { route, silent } = attempt
  const { begin, body } = await beginningOf(answer.body, silent)
  const isJson = begin.startsWith('{') || begin.startsWith('[')
  const isStream = /^\s*text\/event-stream\b/i.test(answer.headers['content-type'] ?? '')
  if (!isJson && !isStream && !beginsAsStream.test(begin)) {
    answer.close()
    throw new UpstreamFailure('the answer is not a stream', answer.status)
  }
  const chunks = isJson
    ? inOneChunk(await wholeIn(await collect(body, silent), answer.status, route))
    : chunksOf({ body, close: answer.close }, route, silent)
  const first = await chunks.next()
  if (first.done) throw new UpstreamFailure('the stream is empty', answer.status)
  return resumed([first.value], chunks)
}

/** Returns the first text of a body without leading white space, and the whole body, which can still be read. */
async function beginningOf(
  body: AsyncIterable<Buffer>,
  silent: ChatAttempt['silent'],
): Promise<{ begin: string; body: AsyncIterable<Buffer> }> {
  const rest = body[Symbol.asyncIterator]()
  const looked: Buffer[] = []
  let begin = ''
  let buffered = 0
  while (begin === '' && buffered < maxEventBytes) {
    const { value, done: ended } = await rest.next()
    if (ended === true) break
    looked.push(value)
    buffered += value.length
    begin = value.toString('utf8', 0, 64).replace(/^[\s\uFEFF]+/, '')
    if (begin === '') silent?.()
  }
  return {
    begin,
    body: {
      [Symbol.asyncIterator]: () => ({
        async next() {
          const value = looked.shift()
          return value === undefined ? rest.next() : { value, done: false }
        },
        return: async () => (await rest.return?.()) ?? { value: undefined, done: true },
      }),
    },
  }
}

async function collect(
  body: AsyncIterable<Buffer>,
  silent: ChatAttempt['silent'],
): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of body) {
    parts.push(part)
    silent?.()
  }
  return new TextDecoder().decode(Buffer.concat(parts))
}

async function* inOneChunk(completion: Completion): AsyncGenerator<Chunk> {
  yield asChunk(completion)
}

/**
 * Returns the chunks of a stream in OpenAI's form. After every choice has its finish reason, the answer is complete,
 * and later events cannot turn it into an error.
 */
async function* chunksOf(
  answer: { body: AsyncIterable<Buffer> | Iterable<Buffer>; close(): void },
  { id, provider }: Route,
  silent?: ChatAttempt['silent'],
): AsyncGenerator<Chunk> {
  const events = serverSentEvents(answer.body, { maxEventBytes, tooLong, silent })
  const reader = createChunkReader(id)
  let counted = false
  let complete = false
  try {
    for (;;) {
      const next = await nextEvent(events, reader)
      if (next === undefined) break
      if (next.data.trim() === done) {
        complete = true
        // The rest is read in the background, so that the connection can be reused.
        void drain(events)
        break
      }
      const chunk = readEvent(next, reader, provider)
      if (chunk === undefined) {
        silent?.()
        continue
      }
      // Without a finish reason, a chunk with only the usage marks the end.
      counted = chunk.choices.length === 0
      yield chunk
    }
    complete ||= reader.finished || counted
    if (!complete) throw new UpstreamFailure('the stream was interrupted')
    const end = reader.end()
    if (end !== undefined) yield end
  } finally {
    if (!complete) answer.close()
  }
}

/** @returns undefined at the end; an error after a complete answer counts as the end */
async function nextEvent(
  events: AsyncGenerator<StreamEvent>,
  reader: ChunkReader,
): Promise<StreamEvent | undefined> {
  try {
    const next = await events.next()
    return next.done === true ? undefined : next.value
  } catch (error) {
    if (reader.finished && error instanceof UpstreamFailure) return undefined
    throw error
  }
}

/** Returns the chunk of an event, or undefined for an event without content, such as a heartbeat. */
function readEvent(
  { event, data }: StreamEvent,
  reader: ChunkReader,
  provider: Provider,
): Chunk | undefined {
  if (isHeartbeat(data)) return undefined
  try {
    const body = parsed(data, maxInChunk, 'an event of the stream is not JSON')
    const failure =
      failureIn(body, provider) ??
      (event === 'error' ? failureIn({ error: body }, provider) : undefined)
    if (failure !== undefined) throw failure
    return reader.read(body)
  } catch (error) {
    if (reader.finished && error instanceof UpstreamFailure) return undefined
    throw error
  }
}
