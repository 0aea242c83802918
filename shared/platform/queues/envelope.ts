import * as z from 'zod'
import { newSeed } from '../ids.ts'
import { once } from '../once.ts'
import type { Origin } from './port.ts'

/**
 * What goes with every message that the platform sends itself. `cause` is the id of the request, or of the tick, that
 * began all this: it goes on through every message that follows from a message, so that all of them can be found by it.
 */
export const envelope = once(() =>
  z.strictObject({
    /** A ULID, the same however often the message is handed out. */
    id: z.string().regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
    cause: z.string(),
    /** Who asked in the first place, as describeActor says it; `platform` for what a schedule began. */
    actor: z.string(),
    /** When it was sent: ISO 8601. */
    at: z.string(),
    body: z.unknown(),
  }),
)

type Envelope = z.output<ReturnType<typeof envelope>>

/** A message on its way, in its envelope. */
export function enveloped({ requestId, askedBy }: Origin, body: unknown): Envelope {
  return { id: newSeed(), cause: requestId, actor: askedBy, at: new Date().toISOString(), body }
}
