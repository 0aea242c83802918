import type { Engine } from './engine.ts'
import { DatabaseError } from './errors.ts'

/** What an operation brought, in the words of DynamoDB's JSON protocol. */
export interface Answer {
  status: 200 | 400 | 500
  /** Its output, or the error with its `__type`. */
  body: string
}

/** Runs one operation on its input as it is on the wire. Never throws: an error is an answer. */
export function answer(engine: Engine, operation: string, input: string): Answer {
  try {
    return { status: 200, body: JSON.stringify(engine.call(operation, parse(input))) }
  } catch (error) {
    return failure(error)
  }
}

/** An error as an answer: 400 for what a caller did wrong, 500 with a warning for anything else. */
export function failure(error: unknown): Answer {
  if (error instanceof DatabaseError) return { status: 400, body: JSON.stringify(error.body) }
  const message = error instanceof Error ? error.message : String(error)
  process.emitWarning(error instanceof Error ? error : message)
  const { body } = new DatabaseError('InternalServerError', message)
  return { status: 500, body: JSON.stringify(body) }
}

function parse(text: string): object {
  try {
    const input: unknown = JSON.parse(text)
    if (input && typeof input === 'object') return input
  } catch {
    // The answer is the same as for JSON that is no object.
  }
  throw new DatabaseError('SerializationException', 'The request is not a JSON object')
}
