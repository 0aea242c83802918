import * as z from 'zod'

// Only the API's documents read these: making them at import would cost every cold start.

/** The last event of a failed stream, with the content of the error response. */
export const errorEvent = z.lazy(() =>
  z.looseObject({ error: z.string(), code: z.string().optional() }),
)
