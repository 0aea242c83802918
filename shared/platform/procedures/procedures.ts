import type * as z from 'zod'

/**
 * The schemas of the input and the output of a procedure. They are created with the first call, because creating all of
 * them would slow every cold start.
 */
interface Procedure {
  input: () => z.ZodType
  answer: () => z.ZodType
}

/** The procedures of a function by name. The caller and the function share the declaration. */
export type Procedures = Readonly<Record<string, Procedure>>

export type InputOf<P extends Procedure> = z.output<ReturnType<P['input']>>
export type AnswerOf<P extends Procedure> = z.output<ReturnType<P['answer']>>

/**
 * A client with one method for each procedure. @throws PlatformError the function's PlatformError, with its message;
 * 503 if the function could not be called
 */
export type ClientOf<Declared extends Procedures> = {
  readonly [Name in keyof Declared]: (
    input: z.input<ReturnType<Declared[Name]['input']>>,
  ) => Promise<AnswerOf<Declared[Name]>>
}
