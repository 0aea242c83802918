import type * as z from 'zod'
import type { Engine } from '../engine.ts'
import { Fault } from './fault.ts'

/** One operation of the API: takes the request's JSON, answers with the response's. */
export type Operation = (engine: Engine, request: unknown) => object | Promise<object>

/** An operation whose request is checked first; a bad one is an InvalidParameterException. */
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
