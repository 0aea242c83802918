import * as z from 'zod'
import { messageText, signatureText } from '../wallet-sign-in/schema.ts'

const tokenText = (name: string) =>
  z
    .string({ error: `${name} required` })
    .min(1, `${name} required`)
    .max(4_096, `${name} is too long`)

const signInProof = z.object({
  message: messageText,
  signature: signatureText,
  nonce: z
    .string({ error: 'nonce required' })
    .min(1)
    .max(128)
    .describe('The nonce from /api/auth/nonce that the message contains'),
})

export type SignInProof = z.output<typeof signInProof>

/** Sign In With Farcaster, or a quick-auth token. */
export const farcasterProof = z.union([z.object({ token: tokenText('token') }), signInProof], {
  error: 'token required, or message, signature and nonce',
})

export type FarcasterProof = z.output<typeof farcasterProof>

export const refreshRequest = z.object({ sessionToken: tokenText('sessionToken') })

/** contract.md 10. */
export const farcasterSession = z
  .object({
    success: z.literal(true),
    sessionToken: z.string().describe('A JWT, valid for one hour'),
    fid: z.number(),
    address: z.string().nullable(),
    tokenGated: z.boolean().describe('True if the address holds the platform’s token'),
    accessLevel: z.enum(['holder', 'basic']),
  })
  .meta({ id: 'FarcasterSession' })

export type FarcasterSession = z.output<typeof farcasterSession>

/** The response of GET for an endpoint that takes POST. */
export const endpointDescription = z
  .object({
    endpoint: z.string(),
    method: z.string(),
    description: z.string(),
    accepts: z.array(z.object({ fields: z.array(z.string()), configured: z.boolean() })),
  })
  .meta({ id: 'EndpointDescription' })
