import * as z from 'zod'

// Created lazily, because only the API's documents read them and each cold start would pay for it.

/** The last event of a failed stream, with the content of the error response. */
export const errorEvent = z.lazy(() =>
  z.looseObject({ error: z.string(), code: z.string().optional() }),
)
