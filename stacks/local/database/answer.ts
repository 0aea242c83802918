import type { Engine } from './engine.ts'
import { DatabaseError } from './errors.ts'

/** The response of an operation in DynamoDB's JSON protocol. */
export interface DatabaseResponse {
  status: 200 | 400 | 500
  /** The output, or the error with its `__type`. */
  body: string
}

/** Runs one operation on its wire input. Never throws: an error becomes a response. */
export function answer(engine: Engine, operation: string, input: string): DatabaseResponse {
  try {
    return { status: 200, body: JSON.stringify(engine.call(operation, parse(input))) }
  } catch (error) {
    return failure(error)
  }
}

/** Returns the response for an error: 400 for a caller's error, 500 with a warning for anything else. */
export function failure(error: unknown): DatabaseResponse {
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
    // Falls through: the response is the same as for JSON that is not an object.
  }
  throw new DatabaseError('SerializationException', 'The request is not a JSON object')
}
