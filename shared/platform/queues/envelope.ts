import * as z from 'zod'
import { newSeed } from '../ids.ts'
import { once } from '../once.ts'
import type { Origin } from './port.ts'

/**
 * The envelope of every message that the platform sends. `cause` is the id of the request or tick that started the
 * chain. All messages of a chain have the same `cause`, so that the whole chain can be found.
 */
export const envelope = once(() =>
  z.strictObject({
    /** A ULID, the same for every delivery of the message. */
    id: z.string().regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
    cause: z.string(),
    /** The actor of the first request, as `describeActor` formats it; `platform` for schedules. */
    actor: z.string(),
    /** When it was sent: ISO 8601. */
    at: z.string(),
    body: z.unknown(),
  }),
)

type Envelope = z.output<ReturnType<typeof envelope>>

/** Puts a message into its envelope. */
export function enveloped({ requestId, askedBy }: Origin, body: unknown): Envelope {
  return { id: newSeed(), cause: requestId, actor: askedBy, at: new Date().toISOString(), body }
}
