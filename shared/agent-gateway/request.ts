import { type IncomingMessage, request } from 'node:http'
import type { Address } from '../platform/containers/port.ts'
import { PlatformError } from '../platform/errors.ts'

/** How long an agent may take: milliseconds. */
export interface Patience {
  /** To the first byte, and between any two after it. */
  silence: number
  /** To the last one; less than the function lives, so that the caller still hears of it. */
  whole: number
}

export interface AgentRequest {
  address: Address
  /** The gateway's bearer token. */
  token: string
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  path: string
  /** Sent as JSON. */
  body?: unknown
  requestId?: string | undefined
  /** Aborted when the caller leaves; the agent's work ends with it. */
  signal?: AbortSignal | undefined
}

export interface AgentResponse {
  status: number
  headers: IncomingMessage['headers']
  /** @throws PlatformError 502 when it breaks off, 504 when it falls silent */
  body: AsyncIterable<string>
}

/**
 * Sends one request to an agent's gateway. Each has a connection of its own: on one that was kept open, a request that
 * got lost could not be told from one that was carried out, and trying again could do it twice. Redirects are answers
 * like any other: what an agent says must not send the platform elsewhere.
 * @throws PlatformError 502 AGENT_UNREACHABLE, 504 AGENT_TIMEOUT, 400 where the caller left
 */
export async function requestAgent(
  wanted: AgentRequest,
  patience: Patience,
): Promise<AgentResponse> {
  const timer = watch(patience)
  const signal =
    wanted.signal === undefined ? timer.signal : AbortSignal.any([wanted.signal, timer.signal])
  try {
    const message = await send(wanted, signal)
    timer.heard()
    return {
      status: message.statusCode ?? 502,
      headers: message.headers,
      body: read(message, timer, signal),
    }
  } catch (cause) {
    timer.end()
    throw explain('The agent cannot be reached', signal, cause)
  }
}

function send(wanted: AgentRequest, signal: AbortSignal) {
  const { address, token, method, path, body, requestId } = wanted
  const text = body === undefined ? undefined : JSON.stringify(body)
  return new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request({
      host: address.host,
      port: address.port,
      path,
      method,
      agent: false,
      signal,
      headers: {
        authorization: `Bearer ${token}`,
        ...(text !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        }),
        ...(requestId !== undefined && { 'x-request-id': requestId }),
      },
    })
    outgoing.once('response', resolve)
    outgoing.once('error', reject)
    // It ends without either where the agent would have the connection become another: the platform asks for none.
    outgoing.once('close', () => reject(new Error('the connection was closed')))
    outgoing.end(text)
  })
}

async function* read(message: IncomingMessage, timer: Timer, signal: AbortSignal) {
  message.setEncoding('utf8')
  try {
    for await (const chunk of message as AsyncIterable<string>) {
      timer.heard()
      yield chunk
    }
  } catch (cause) {
    throw explain('The agent’s answer broke off', signal, cause)
  } finally {
    timer.end()
    message.destroy()
  }
}

type Timer = ReturnType<typeof watch>

function watch({ silence, whole }: Patience) {
  const controller = new AbortController()
  const giveUp = (ms: number) =>
    controller.abort(
      new PlatformError('timeout', `The agent did not answer within ${ms / 1000} s`, {
        code: 'AGENT_TIMEOUT',
      }),
    )
  const silenceTimer = setTimeout(() => giveUp(silence), silence)
  const wholeTimer = setTimeout(() => giveUp(whole), whole)
  return {
    signal: controller.signal,
    heard: () => void silenceTimer.refresh(),
    end() {
      clearTimeout(silenceTimer)
      clearTimeout(wholeTimer)
    },
  }
}

function explain(message: string, signal: AbortSignal, cause: unknown): PlatformError {
  if (signal.reason instanceof PlatformError) return signal.reason
  if (signal.aborted) return new PlatformError('bad-request', 'The caller left')
  return new PlatformError('bad-gateway', message, { code: 'AGENT_UNREACHABLE', cause })
}
