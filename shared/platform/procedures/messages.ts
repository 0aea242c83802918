import * as z from 'zod'
import { once } from '../once.ts'
import type { ErrorKind } from '../errors.ts'

/** What is sent to a function: which procedure, of what, and what it follows from. */
export const callMessage = once(() =>
  z.object({
    procedure: z.string(),
    input: z.unknown(),
    /** Of the request that began it all. */
    requestId: z.string(),
    /** Who asked in the first place, as describeActor says it. */
    askedBy: z.string(),
  }),
)

/**
 * What comes back. A refusal is an answer, so that it reaches the caller in its words; an error that the function throws
 * is its failure, which Lambda counts.
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
