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

/**
 * An error of the AI gateway as one of this gateway's own, for a caller who gets neither its status nor its headers.
 * @param text in OpenAI's form, `{error, code}` (contract.md 5), or anything else
 */
export function problemOf(text: string, status: number): Problem {
  const { error, code } = parseObject(text)
  const given = Object(typeof error === 'object' ? error : { message: error, code }) as Fields
  return new Problem(
    status < 400 ? 502 : status,
    typeof given.code === 'string' ? given.code : 'upstream_error',
    typeof given.message === 'string' ? given.message : `The AI gateway answered ${status}`,
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

type Fields = Readonly<Record<string, unknown>>

function isErrorBody(text: string): boolean {
  const { error } = parseObject(text)
  return typeof error === 'object' && error !== null
}

/** The fields of a JSON object; none where the text is something else. */
function parseObject(text: string): Fields {
  try {
    return Object(JSON.parse(text)) as Fields
  } catch {
    return {}
  }
}
