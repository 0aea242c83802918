import * as z from 'zod'
import { keyScopes } from '#shared/platform/identity/actor.ts'

const scopes = z.array(z.enum(keyScopes))

/** The fields of RFC 7591 that this server reads. */
export const clientMetadata = z
  .object({
    client_name: z
      .string()
      .overwrite((name) => name.toWellFormed().replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' '))
      .trim()
      .max(100)
      .optional(),
    redirect_uris: z.array(z.string()).max(20).optional(),
    token_endpoint_auth_method: z.string().optional(),
  })
  .meta({ id: 'OAuthClientMetadata' })

export type ClientMetadata = z.output<typeof clientMetadata>

export const registeredClient = z
  .object({
    client_id: z.string(),
    client_id_issued_at: z.number(),
    client_name: z.string(),
    redirect_uris: z.array(z.string()),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    token_endpoint_auth_method: z.literal('none'),
  })
  .meta({ id: 'OAuthClient' })

export const tokenAnswer = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.number().describe('Seconds'),
    refresh_token: z.string(),
    scope: z.string(),
  })
  .meta({ id: 'OAuthTokens' })

export type TokenAnswer = z.output<typeof tokenAnswer>

export const deviceAnswer = z
  .object({
    device_code: z.string(),
    user_code: z.string(),
    verification_uri: z.string(),
    verification_uri_complete: z.string(),
    expires_in: z.number().describe('Seconds'),
    interval: z.number().describe('Seconds between polls'),
  })
  .meta({ id: 'OAuthDeviceCodes' })

/** The device that the consent page /device shows. */
export const shownDevice = z
  .object({
    userCode: z.string(),
    clientName: z.string(),
    scopes,
    host: z.string().nullable().describe('The name that the device reports'),
    address: z.string(),
    createdAt: z.string(),
    expiresAt: z.string(),
  })
  .meta({ id: 'OAuthDevice' })

export const deviceDecision = z
  .object({
    userCode: z.string({ error: 'userCode required' }).max(64),
    approve: z.boolean({ error: 'approve must be true or false' }),
  })
  .meta({ id: 'OAuthDeviceDecision' })

/** The request that the consent page /connect shows. */
export const shownRequest = z
  .object({ clientName: z.string(), scopes, redirectHost: z.string() })
  .meta({ id: 'OAuthRequest' })

export const requestDecision = z
  .object({ approve: z.boolean({ error: 'approve must be true or false' }) })
  .meta({ id: 'OAuthDecision' })
