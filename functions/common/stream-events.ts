import * as z from 'zod'

// Only the API's documents read these: making them at import would cost every cold start.

/** A stream's last event where it fails: what the answer would have said. */
export const errorEvent = z.lazy(() =>
  z.looseObject({ error: z.string(), code: z.string().optional() }),
)
