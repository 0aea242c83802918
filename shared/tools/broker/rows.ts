import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** All broker credentials of an agent, encrypted. The check of the agent's key reads them in the same request. */
export const brokerCredentialRows = entity({
  name: 'agent’s broker credentials',
  pk: 'user#{userId}',
  sk: 'broker-credentials#{agentId}',
  schema: () =>
    z.object({
      credentials: z.record(
        z.string(),
        z.object({
          /** The form in the container's URLs: `api.example.com`, `api.example.com:8443`. */
          hosts: z.array(z.string()),
          /** For example `authorization: Bearer {value}`. */
          header: z.string(),
          sealed: z.string(),
          /** Its size in characters, which counts toward the limit of all credentials. */
          size: z.number(),
          /** ISO 8601. */
          createdAt: z.string(),
        }),
      ),
      revision: z.number(),
    }),
})

/** One use of a credential. Its ULID contains its start. Expires after 30 days. */
export const brokerRequestRows = entity({
  name: 'broker request',
  pk: 'user#{userId}',
  sk: 'broker-request#{agentId}#{place}',
  schema: () =>
    z.object({
      /** ISO 8601. */
      at: z.string(),
      /** The credential's name. */
      name: z.string(),
      method: z.string(),
      host: z.string(),
      /** The status of the host's response; null until it responds. */
      status: z.number().nullable(),
      /** The bytes of the response body that were forwarded; null until it ends. */
      bytes: z.number().nullable(),
    }),
})

/** The slots of long uses by all agents of a user, by expiry: `held_<epoch second>`. */
export const brokerSlotRows = entity({
  name: 'broker slots',
  pk: 'user#{userId}',
  sk: 'broker-slots',
  schema: () =>
    z.object({ committed: z.number().default(0), expiresAt: z.number() }).catchall(z.number()),
})
