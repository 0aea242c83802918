import * as z from 'zod'
import type { ErrorKind } from '../errors.ts'
import { once } from '../once.ts'

/** A call of a procedure: its name, its input and the request that caused it. */
export const callMessage = once(() =>
  z.object({
    procedure: z.string(),
    input: z.unknown(),
    /** Id of the first request of the chain. */
    requestId: z.string(),
    /** The actor of the first request, as `describeActor` formats it. */
    askedBy: z.string(),
  }),
)

/**
 * The outcome of a call. A PlatformError is returned as a normal response, so that its message reaches the caller. Any
 * other error is a failure of the function, which Lambda counts.
 */
export const answerMessage = once(() =>
  z.union([
    z.object({ answer: z.unknown() }),
    z.object({
      refusal: z.object({
        kind: z.custom<ErrorKind>((kind) => typeof kind === 'string'),
        message: z.string(),
        code: z.string().optional(),
        details: z.record(z.string(), z.unknown()),
        headers: z.record(z.string(), z.string()),
      }),
    }),
  ]),
)

export type CallMessage = z.output<ReturnType<typeof callMessage>>
export type AnswerMessage = z.output<ReturnType<typeof answerMessage>>
