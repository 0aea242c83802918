import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { scopeAttributes } from '../users/stored-scopes.ts'

/**
 * A program that has registered itself to request access: stored for a week, or for half a year after a user last
 * authorized it.
 */
export const clientRows = entity({
  name: 'OAuth client',
  id: 'cli',
  pk: 'oauth-client#{clientId}',
  sk: 'client',
  schema: () =>
    z.object({
      id: z.string(),
      name: z.string(),
      redirectUris: z.array(z.string()),
      createdAt: z.string(),
    }),
})

export type OAuthClient = ReturnType<typeof clientRows.parse>

/** A program’s request to a user, stored for ten minutes or until the user answers. */
export const requestRows = entity({
  name: 'OAuth request',
  id: 'oar',
  pk: 'user#{userId}',
  sk: 'oauth-request#{requestId}',
  schema: () =>
    z.object({
      id: z.string(),
      clientId: z.string(),
      clientName: z.string(),
      redirectUri: z.string(),
      ...scopeAttributes(),
      challenge: z.string(),
      state: z.string().optional(),
    }),
})

export type OAuthRequest = ReturnType<typeof requestRows.parse>

/** An authorization code, by its SHA-256; stored for a day, so that a second use is detected. */
export const codeRows = entity({
  name: 'OAuth code',
  pk: 'oauth-code#{codeHash}',
  sk: 'code',
  schema: () =>
    z.object({
      userId: z.string(),
      clientId: z.string(),
      clientName: z.string(),
      redirectUri: z.string(),
      ...scopeAttributes(),
      challenge: z.string(),
      accessEpoch: z.number(),
      address: z.string(),
      /** ISO 8601: the end of the code’s validity. */
      validUntil: z.string(),
      /** The grant that the code was exchanged for; absent before. */
      grantId: z.string().optional(),
    }),
})

export type OAuthCode = ReturnType<typeof codeRows.parse>

/** A device that requests access, by the SHA-256 of its code; stored for ten minutes. */
export const deviceRows = entity({
  name: 'OAuth device',
  pk: 'oauth-device#{deviceHash}',
  sk: 'device',
  schema: () =>
    z.object({
      deviceHash: z.string(),
      userCode: z.string(),
      clientId: z.string(),
      clientName: z.string(),
      ...scopeAttributes(),
      /** The device’s description of itself. */
      host: z.string().nullable(),
      address: z.string(),
      createdAt: z.string(),
      /** ISO 8601: the end of the codes’ validity. */
      validUntil: z.string(),
      /** Seconds between two polls. */
      interval: z.number(),
      /** ISO 8601; absent before the first poll. */
      askedAt: z.string().optional(),
      decision: z.enum(['approved', 'denied']).optional(),
      /** The user who approved it, and the user’s access epoch at that time. */
      userId: z.string().optional(),
      accessEpoch: z.number().optional(),
      /** The grant that the code was exchanged for; absent before. */
      grantId: z.string().optional(),
    }),
})

export type OAuthDevice = ReturnType<typeof deviceRows.parse>

/** The device that shows a code; stored for ten minutes. */
export const userCodeRows = entity({
  name: 'OAuth device’s code',
  pk: 'oauth-user-code#{userCode}',
  sk: 'code',
  schema: () => z.object({ deviceHash: z.string() }),
})

/** The times of a user’s wrong codes, which no device shows, in the last ten minutes. */
export const guessRows = entity({
  name: 'wrong device codes',
  pk: 'user#{userId}',
  sk: 'oauth-guesses',
  schema: () => z.object({ times: z.array(z.number()), version: z.number() }),
})
