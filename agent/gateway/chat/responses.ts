import { Problem } from '../http/problem.ts'
import { readWhole, type UpstreamAnswer } from './upstream.ts'

/** Response headers of the AI gateway about retries and rate limits. */
const passedHeaders = /^(retry-after|(x-)?ratelimit-.*)$/

/** Forwards an error with its status. Converts the body to OpenAI's format if needed. */
export async function errorResponse(upstream: UpstreamAnswer): Promise<Response> {
  const body = await readWhole(upstream)
  if (!isErrorBody(body.toString('utf8'))) {
    const message = `The AI gateway responded with ${upstream.status}`
    const status = upstream.status < 400 ? 502 : upstream.status
    throw new Problem(status, 'upstream_error', message, {
      headers: keptHeaders(upstream),
    })
  }
  return wholeResponse(upstream, body)
}

/**
 * Converts an error of the AI gateway to a Problem, for callers who get neither its status nor its headers.
 * @param text `{error, code}` in OpenAI's format (contract.md 5), or any other text
 */
export function problemOf(text: string, status: number): Problem {
  const { error, code } = parseObject(text)
  const fields = Object(typeof error === 'object' ? error : { message: error, code }) as Fields
  return new Problem(
    status < 400 ? 502 : status,
    typeof fields.code === 'string' ? fields.code : 'upstream_error',
    typeof fields.message === 'string' ? fields.message : `The AI gateway responded with ${status}`,
  )
}

/** Forwards a response unchanged. */
export function wholeResponse(upstream: UpstreamAnswer, body: Buffer<ArrayBuffer>): Response {
  const contentType = upstream.headers['content-type'] ?? 'application/json'
  return new Response(body, {
    status: upstream.status,
    headers: { ...keptHeaders(upstream), 'content-type': contentType },
  })
}

function keptHeaders({ headers }: UpstreamAnswer): Record<string, string> {
  const passed = Object.entries(headers).filter(([name]) => passedHeaders.test(name))
  return Object.fromEntries(passed.map(([name, value]) => [name, String(value)]))
}

type Fields = Readonly<Record<string, unknown>>

function isErrorBody(text: string): boolean {
  const { error } = parseObject(text)
  return typeof error === 'object' && error !== null
}

/** Parses a JSON object. Returns no fields for any other text. */
function parseObject(text: string): Fields {
  try {
    return Object(JSON.parse(text)) as Fields
  } catch {
    return {}
  }
}
