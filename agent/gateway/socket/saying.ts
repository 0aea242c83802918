import { Problem, invalid } from '../http/problem.ts'
import { sessionIdLimit } from '../workspace/sessions.ts'

/** One message of a caller, after its checks. */
export type Saying = {
  /** The caller's name for it, which every answer to it carries; null where it has none. */
  id: string | number | null
  message: string
  session: string | undefined
}

/** Every piece of an answer carries it. */
const idLimit = 256

/** The `id` of a message, so that a refusal can name what it refuses. */
export function idOf(value: unknown): Saying['id'] {
  const { id } = Object(value) as { id?: unknown }
  if (typeof id === 'string') return id.length <= idLimit ? id : null
  return typeof id === 'number' ? id : null
}

/**
 * Checks `{message, id?, session?}`.
 * @throws Problem 400 naming the field at fault
 */
export function readSaying(value: unknown): Saying {
  const { message, session, id } = Object(value) as Record<string, unknown>
  if ((id ?? null) !== idOf(value)) {
    throw invalid('id', `id must be a number or a text of at most ${idLimit} characters`)
  }
  if (typeof message !== 'string' || message.trim() === '') {
    throw invalid('message', 'message must be a text')
  }
  const named = typeof session === 'string' && session !== '' && session.length <= sessionIdLimit
  if (session !== undefined && !named) {
    throw invalid('session', `session must be a text of 1 to ${sessionIdLimit} characters`)
  }
  return { id: idOf(value), message, session }
}

/** @throws Problem 400 for what is no JSON */
export function parseFrame(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Problem(400, 'invalid_json', 'A message must be JSON', { cause })
  }
}
