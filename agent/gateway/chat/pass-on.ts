import type { Exchange } from '../http/exchange.ts'
import { Problem } from '../http/problem.ts'
import { readWhole } from './upstream.ts'
import type { UpstreamAnswer } from './upstream.ts'

/** Headers of the AI gateway that tell its caller when to come again. */
const passedHeaders = /^(retry-after|(x-)?ratelimit-.*)$/

/** Passes an error on with its status; one that is not in OpenAI's form is put into it. */
export async function passError(upstream: UpstreamAnswer, exchange: Exchange): Promise<void> {
  const body = await readWhole(upstream)
  if (!isErrorBody(body.toString('utf8'))) {
    const message = `The AI gateway answered ${upstream.status}`
    const status = upstream.status < 400 ? 502 : upstream.status
    throw new Problem(status, 'upstream_error', message, {
      headers: keptHeaders(upstream),
    })
  }
  passWhole(upstream, body, exchange)
}

/** An error of the AI gateway as one of this gateway's own: for a caller who gets no status and no headers. */
export async function problemOf(upstream: UpstreamAnswer): Promise<Problem> {
  const text = (await readWhole(upstream)).toString('utf8')
  const { message, code } = isErrorBody(text)
    ? (JSON.parse(text) as { error: { message?: unknown; code?: unknown } }).error
    : {}
  return new Problem(
    upstream.status < 400 ? 502 : upstream.status,
    typeof code === 'string' ? code : 'upstream_error',
    typeof message === 'string' ? message : `The AI gateway answered ${upstream.status}`,
  )
}

/** Passes an answer on unchanged. */
export function passWhole(upstream: UpstreamAnswer, body: Buffer, { response }: Exchange): void {
  response.writeHead(upstream.status, {
    ...keptHeaders(upstream),
    'content-type': upstream.headers['content-type'] ?? 'application/json',
    'content-length': body.length,
  })
  response.end(body)
}

function keptHeaders({ headers }: UpstreamAnswer): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => passedHeaders.test(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
}

function isErrorBody(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('error' in value)) return false
    return typeof value.error === 'object' && value.error !== null
  } catch {
    return false
  }
}
