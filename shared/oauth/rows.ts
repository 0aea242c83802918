import * as z from 'zod'
import { scopeAttributes } from '../accounts/stored-scopes.ts'
import { entity } from '../platform/table/entity.ts'

/** A program that has registered itself to ask for access: for a week, and for half a year after it was last let in. */
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

/** What a program asks a user for, until they have answered, for ten minutes. */
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

/** What an authorization code opens, by its SHA-256; kept for a day, so that a second use is known. */
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
      /** ISO 8601: the code is good before it. */
      validUntil: z.string(),
      /** What it was exchanged for. */
      grantId: z.string().optional(),
    }),
})

export type OAuthCode = ReturnType<typeof codeRows.parse>

/** A device that asks for access, by the SHA-256 of its code, for ten minutes. */
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
      /** The device's own word for itself. */
      host: z.string().nullable(),
      address: z.string(),
      createdAt: z.string(),
      /** ISO 8601: the codes are good before it. */
      validUntil: z.string(),
      /** Seconds between two questions. */
      interval: z.number(),
      /** ISO 8601; absent before the first question. */
      askedAt: z.string().optional(),
      decision: z.enum(['approved', 'denied']).optional(),
      /** Who approved it, and their epoch then. */
      userId: z.string().optional(),
      accessEpoch: z.number().optional(),
      /** What it was exchanged for. */
      grantId: z.string().optional(),
    }),
})

export type OAuthDevice = ReturnType<typeof deviceRows.parse>

/** Which device shows a code, for ten minutes. */
export const userCodeRows = entity({
  name: 'OAuth device’s code',
  pk: 'oauth-user-code#{userCode}',
  sk: 'code',
  schema: () => z.object({ deviceHash: z.string() }),
})

/** When a user entered codes that no device shows, in the last ten minutes. */
export const guessRows = entity({
  name: 'wrong device codes',
  pk: 'user#{userId}',
  sk: 'oauth-guesses',
  schema: () => z.object({ times: z.array(z.number()), version: z.number() }),
})
