import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import * as z from 'zod'
import type { Env } from './app.ts'
import { Problem, invalid } from './problem.ts'

/** The limit of a request body: 1 MB (spec.md, Limits). */
export const maxBodyBytes = 1_048_576

/** A rejected body is read up to this many bytes, so that its sender receives the 413 and not a connection reset. */
const discardedBytes = 8 * maxBodyBytes

/** The query with the revision of a change. A manual change has none. */
export const revisionQuery = z.object({
  revision: z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number from 0')
    .transform(Number)
    .optional(),
})

/** @throws Problem 400 that names the first invalid field */
export function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const { data, error } = schema.safeParse(value)
  if (error === undefined) return data
  const { path = [], message = '' } = error.issues[0] ?? {}
  const field = z.core.toDotPath(path)
  throw field === ''
    ? new Problem(400, 'invalid_body', message)
    : invalid(field, `${field}: ${message}`)
}

/** @throws Problem 400 for invalid JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Problem(400, 'invalid_json', 'This is not valid JSON', { cause })
  }
}

/**
 * Reads a request's JSON body. An empty body counts as `{}`.
 * @throws Problem 400 for another content type, invalid JSON, or values that the schema rejects; 413 over the limit
 */
export async function readBody<T>(c: Context<Env>, schema: z.ZodType<T>): Promise<T> {
  const text = await readText(c.env.incoming)
  if (text === '') return check(schema, {})
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
    throw new Problem(400, 'invalid_content_type', 'Content-Type must be application/json')
  }
  return check(schema, parseJson(text))
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size <= maxBodyBytes) chunks.push(chunk)
      if (size > discardedBytes) break
    }
  } catch (cause) {
    throw new Problem(400, 'body_cut', 'The body was interrupted', { cause })
  }
  if (size <= maxBodyBytes) return Buffer.concat(chunks).toString('utf8')
  throw new Problem(413, 'body_too_large', `The body may have at most ${maxBodyBytes} bytes`, {
    headers: { connection: 'close' },
  })
}
