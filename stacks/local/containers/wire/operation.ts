import type * as z from 'zod'
import type { Engine } from '../engine.ts'
import { Fault } from './fault.ts'

/** An operation of the API: takes the request's JSON and returns the response's. */
export type Operation = (engine: Engine, request: unknown) => object | Promise<object>

/** Wraps an operation with the validation of its request. An invalid one is an InvalidParameterException. */
export function operation<Schema extends z.ZodType>(
  schema: Schema,
  run: (engine: Engine, input: z.output<Schema>) => object | Promise<object>,
): Operation {
  return (engine, request) => {
    const parsed = schema.safeParse(request)
    if (parsed.success) return run(engine, parsed.data)
    const [issue] = parsed.error.issues
    const where = issue?.path.join('.') ?? ''
    throw new Fault('InvalidParameterException', `${where}: ${issue?.message ?? 'Invalid request'}`)
  }
}
