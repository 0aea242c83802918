import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'

/** All credentials that an agent uses through the broker, sealed: its key's check reads them in the same request. */
export const brokerCredentialRows = entity({
  name: 'agent’s broker credentials',
  pk: 'user#{userId}',
  sk: 'broker-credentials#{agentId}',
  schema: () =>
    z.object({
      credentials: z.record(
        z.string(),
        z.object({
          /** As the container writes them in its addresses: `api.example.com`, `api.example.com:8443`. */
          hosts: z.array(z.string()),
          /** `authorization: Bearer {value}`. */
          header: z.string(),
          sealed: z.string(),
          /** Its share of what all may take, in characters. */
          size: z.number(),
          /** ISO 8601. */
          createdAt: z.string(),
        }),
      ),
      revision: z.number(),
    }),
})

/** One use of a credential, by a ULID of when it began; gone after 30 days. */
export const brokerRequestRows = entity({
  name: 'broker request',
  pk: 'user#{userId}',
  sk: 'broker-request#{agentId}#{place}',
  schema: () =>
    z.object({
      /** ISO 8601. */
      at: z.string(),
      /** The credential's. */
      name: z.string(),
      method: z.string(),
      host: z.string(),
      /** Of the host's answer; null while there is none. */
      status: z.number().nullable(),
      /** Of the answer's body, as far as it was passed back; null until it is over. */
      bytes: z.number().nullable(),
    }),
})

/** The slots that long uses of all of a user's agents hold, by when they expire: `held_<epoch second>`. */
export const brokerSlotRows = entity({
  name: 'broker slots',
  pk: 'user#{userId}',
  sk: 'broker-slots',
  schema: () =>
    z.object({ committed: z.number().default(0), expiresAt: z.number() }).catchall(z.number()),
})
