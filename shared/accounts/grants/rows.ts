import * as z from 'zod'
import { entity } from '../../platform/table/entity.ts'
import { scopeAttributes } from '../stored-scopes.ts'

/** What a program may do for its user by OAuth, with the SHA-256 of its tokens; it holds in its access epoch only. */
export const grantRows = entity({
  name: 'OAuth grant',
  id: 'gra',
  pk: 'user#{userId}',
  sk: 'grant#{grantId}',
  schema: () =>
    z.object({
      id: z.string(),
      clientId: z.string(),
      clientName: z.string(),
      ...scopeAttributes(),
      accessEpoch: z.number(),
      createdAt: z.string(),
      lastSeenAt: z.string().optional(),
      address: z.string().optional(),
      /** Of what all refresh tokens of the grant have in common. */
      familyHash: z.string(),
      /** Of the one refresh token that is good. */
      refreshHash: z.string(),
      /** The newest access token first, and the one before it; until when, ISO 8601. */
      access: z.array(z.object({ hash: z.string(), until: z.string() })),
    }),
})

export type Grant = ReturnType<typeof grantRows.parse>
