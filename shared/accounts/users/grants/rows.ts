import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { scopeAttributes } from '../stored-scopes.ts'

/** A program’s OAuth access for its user, with the SHA-256 of its tokens; it is valid in its access epoch only. */
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
      /** Hash of the common part of the grant’s refresh tokens. */
      familyHash: z.string(),
      /** Hash of the only valid refresh token. */
      refreshHash: z.string(),
      /** The newest access token first, then the previous one; `until` is the expiry, ISO 8601. */
      access: z.array(z.object({ hash: z.string(), until: z.string() })),
    }),
})

export type Grant = ReturnType<typeof grantRows.parse>
