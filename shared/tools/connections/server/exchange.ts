import * as z from 'zod'
import { type HttpAnswer, sendRequest } from '#shared/platform/http-client/client.ts'
import { serverSentEvents } from '#shared/platform/http-client/events.ts'
import { HttpFailure, neverSent } from '#shared/platform/http-client/failure.ts'
import { publicTarget, type Resolve } from '#shared/platform/http-client/guarded.ts'
import { AddressRefused } from '#shared/platform/http-client/public-url.ts'
import { once } from '#shared/platform/once.ts'
import { ServerFailure } from './failure.ts'

/** The settings of requests to servers. */
export interface ReachesServers {
  /** FETCH_ALLOW_HOSTS; empty when deployed. */
  allowed: readonly string[]
  /** Resolves names; defaults to the system's resolver. */
  resolve?: Resolve | undefined
}

export interface ServerAddress {
  url: string
  /** The headers of each request, such as `authorization`. */
  headers: Readonly<Record<string, string>>
}

/** The limits of all requests of one operation together. */
export interface Budget {
  /** A time of `performance.now()`. */
  deadline: number
  /** The bytes of responses that may still arrive. */
  left: number
  /** The bytes of responses that have arrived. */
  bytes: number
  signal: AbortSignal
}

/** The longest operation in milliseconds, below the 60 s of contract.md 18 and of the edge. */
const totalMs = 58_000

/** The responses of one operation, in bytes: contract.md 18. */
const maxBytes = 5_000_000

/** Returns the budget of an operation that begins now. @param ms the longest operation, in milliseconds */
export function newBudget(signal: AbortSignal, ms = totalMs): Budget {
  return { deadline: performance.now() + ms, left: maxBytes, bytes: 0, signal }
}

export interface RpcMessage {
  /** Absent for a notification. */
  id?: number
  method: string
  params?: Record<string, unknown>
}

const rpcAnswer = once(() =>
  z.union([
    z.object({ id: z.number(), result: z.record(z.string(), z.unknown()) }),
    z.object({
      id: z.number().nullish(),
      error: z.object({ code: z.number(), message: z.string() }),
    }),
  ]),
)

export type RpcAnswer = z.output<ReturnType<typeof rpcAnswer>>

export interface Exchanged {
  status: number
  session: string | undefined
  /** Undefined for a notification, and for an HTTP error without a JSON-RPC response. */
  answer: RpcAnswer | undefined
}

/**
 * Posts one message to a server (streamable HTTP of MCP) and reads its answer, as JSON or as an event stream. A redirect
 * is never followed.
 * @throws ServerFailure
 */
export async function exchange(
  ctx: ReachesServers,
  server: ServerAddress,
  {
    message,
    headers,
    budget,
    pooled,
  }: {
    message: RpcMessage
    headers: Record<string, string>
    budget: Budget
    pooled: boolean
  },
): Promise<Exchanged> {
  try {
    const answer = await sendRequest({
      target: publicTarget(new URL(server.url), { ...ctx, anyPort: true }),
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'accept-encoding': 'identity',
        ...headers,
        ...server.headers,
      },
      json: { jsonrpc: '2.0', ...message },
      timeouts: { totalMs: Math.max(1, budget.deadline - performance.now()) },
      pooled,
      signal: budget.signal,
    })
    try {
      return await read(answer, message.id, budget)
    } finally {
      answer.close()
    }
  } catch (error) {
    throw error instanceof HttpFailure ? failureOf(error) : error
  }
}

async function read(
  answer: HttpAnswer,
  id: number | undefined,
  budget: Budget,
): Promise<Exchanged> {
  const { status, headers } = answer
  const authenticate = headers['www-authenticate'] ?? ''
  if (status >= 300 && status < 400)
    throw new ServerFailure('redirect', 'The server redirects to another address', { status })
  if (status === 401)
    throw new ServerFailure('unauthorized', 'The server does not accept the sign-in', { status })
  if (status === 403 && /\binsufficient_scope\b/.test(authenticate))
    throw new ServerFailure('scope', 'The server asks for more rights', {
      status,
      scope: /\bscope="([\x20-\x7e]{1,500}?)"/.exec(authenticate)?.[1],
    })
  const ids = headers['mcp-session-id']
  const session = typeof ids === 'string' && /^[\x21-\x7e]{1,512}$/.test(ids) ? ids : undefined
  if (id === undefined || status === 202 || status === 204)
    return { status, session, answer: undefined }
  const type = headers['content-type'] ?? ''
  const body = counted(answer.body, budget)
  const found = type.startsWith('text/event-stream')
    ? await inStream(body, id)
    : await inWhole(body, id)
  if (found === undefined && status >= 200 && status < 300)
    throw new ServerFailure('invalid', 'The server did not respond as an MCP server', { status })
  return { status, session, answer: found }
}

async function* counted(body: AsyncIterable<Buffer>, budget: Budget): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    budget.left -= chunk.length
    budget.bytes += chunk.length
    if (budget.left < 0) throw tooLarge()
    yield chunk
  }
}

async function inStream(body: AsyncIterable<Buffer>, id: number): Promise<RpcAnswer | undefined> {
  const events = serverSentEvents(body, { maxEventBytes: maxBytes, tooLong: tooLarge })
  for await (const { data } of events) {
    const answer = answerIn(data, id)
    if (answer !== undefined) return answer
  }
  return undefined
}

async function inWhole(body: AsyncIterable<Buffer>, id: number): Promise<RpcAnswer | undefined> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return answerIn(Buffer.concat(chunks).toString(), id)
}

function answerIn(text: string, id: number): RpcAnswer | undefined {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isWithin(json, maxDepth))
    throw new ServerFailure('invalid', 'The server’s response is nested too deeply')
  const messages = [json].flat()
  if (messages.length > maxMessages)
    throw new ServerFailure('invalid', 'The server’s response has too many messages')
  for (const one of messages) {
    const { data } = rpcAnswer().safeParse(one)
    // An error whose request could not be read has no id.
    if (data === undefined) continue
    if (data.id === id || ('error' in data && typeof data.id !== 'number')) return data
  }
  return undefined
}

/** The most messages of one response or event, because the check of each takes time. */
const maxMessages = 1000

/** The deepest nesting of a response. Models and programs may fail on a deeper schema or result. */
const maxDepth = 100

function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((each) => isWithin(each, depth - 1))
}

function tooLarge(): ServerFailure {
  return new ServerFailure('too-large', `The server’s response has more than ${maxBytes} bytes`)
}

function failureOf(failure: HttpFailure): ServerFailure {
  const cause = failure
  if (failure instanceof AddressRefused)
    return new ServerFailure('refused', 'The server’s address is not allowed', { cause })
  if (failure.kind === 'total' || failure.kind === 'idle')
    return new ServerFailure('timeout', 'The server did not respond in time', { cause })
  if (failure.kind === 'aborted')
    return new ServerFailure('aborted', 'The caller disconnected before the response', { cause })
  return new ServerFailure('unreachable', 'The server could not be reached', {
    neverSent: neverSent(failure),
    cause,
  })
}
