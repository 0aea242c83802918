import type { IncomingMessage } from 'node:http'
import { Problem } from './problem.ts'

/** Request bodies end at 1 MB: spec.md, Limits. */
export const bodyLimit = 1_048_576

/** How much of a refused body is read away, so that its sender sees the 413 and no reset. */
const discardLimit = 8 * bodyLimit

/**
 * Reads a JSON object from a request's body.
 * @param options.optional an empty body counts as `{}`
 * @throws Problem 400 for another content type, malformed JSON or no object, 413 over the limit
 */
export async function readJson(
  request: IncomingMessage,
  options: { optional?: boolean } = {},
): Promise<Record<string, unknown>> {
  const text = (await readBody(request)).toString('utf8')
  if (text === '' && options.optional === true) return {}

  const contentType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (contentType !== 'application/json') {
    throw new Problem(400, 'invalid_content_type', 'Content-Type must be application/json')
  }
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem(400, 'invalid_body', 'The body must be a JSON object')
  }
  return value as Record<string, unknown>
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size <= bodyLimit) chunks.push(chunk)
      if (size > discardLimit) break
    }
  } catch (cause) {
    throw new Problem(400, 'body_cut', 'The body broke off', { cause })
  }
  if (size > bodyLimit) {
    throw new Problem(413, 'body_too_large', `The body may have at most ${bodyLimit} bytes`, {
      headers: { connection: 'close' },
    })
  }
  return Buffer.concat(chunks)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Problem(400, 'invalid_json', 'The body is not valid JSON', { cause })
  }
}
