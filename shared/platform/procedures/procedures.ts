import type * as z from 'zod'

/** What a call takes and answers: schemas that are made with the first call, as making all costs every cold start. */
export interface Procedure {
  input: () => z.ZodType
  answer: () => z.ZodType
}

/** What a function can be called for, by the names of its procedures. Caller and function share the declaration. */
export type Procedures = Readonly<Record<string, Procedure>>

export type InputOf<P extends Procedure> = z.output<ReturnType<P['input']>>
export type AnswerOf<P extends Procedure> = z.output<ReturnType<P['answer']>>

/**
 * The same as what its caller has: one method a procedure.
 * @throws PlatformError what the function refused with, in its words; 503 where it could not be called
 */
export type ClientOf<Declared extends Procedures> = {
  readonly [Name in keyof Declared]: (
    input: z.input<ReturnType<Declared[Name]['input']>>,
  ) => Promise<AnswerOf<Declared[Name]>>
}
