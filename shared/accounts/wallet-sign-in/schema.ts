import * as z from 'zod'

/** An EIP-4361 message; real messages have a few hundred characters. */
export const messageText = z
  .string({ error: 'message required' })
  .min(1, 'message required')
  .max(8_192, 'message is too long')

/** The signature of a smart wallet that is not deployed yet contains the data that deploys it. */
export const signatureText = z
  .string({ error: 'signature required' })
  .min(1, 'signature required')
  .max(65_536, 'signature is too long')

export const walletProof = z.object({
  address: z
    .string({ error: 'address required' })
    .min(1, 'address required')
    .max(64, 'address is too long')
    .describe('The account: 0x and 40 hex digits'),
  message: messageText.describe('The signed message (EIP-4361)'),
  signature: signatureText.describe(
    'Signature of an externally owned account or a contract account',
  ),
})

export type WalletProof = z.output<typeof walletProof>

export const walletSignedIn = z
  .object({
    ok: z.literal(true),
    user: z.object({ id: z.string(), name: z.string() }).meta({ id: 'WalletUser' }),
  })
  .meta({ id: 'WalletSignedIn' })
