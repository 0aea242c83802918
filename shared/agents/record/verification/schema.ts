import * as z from 'zod'

/** contract.md 7, verify. */
const verificationTypes = ['eas', 'coinbase', 'ens', 'webauthn'] as const

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'walletAddress must be 0x and 40 hex digits')

export const verificationRequest = z.object({
  verificationType: z.enum(verificationTypes, {
    error: `verificationType must be one of ${verificationTypes.join(', ')}`,
  }),
  attestationUid: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'attestationUid must be 0x and 64 hex digits')
    .optional(),
  walletAddress: address.optional(),
  signature: z
    .string()
    .max(65_536, 'signature is too long')
    .optional()
    .describe('EIP-191 signature of `Verify agent <id>` by walletAddress'),
})

export type VerificationRequest = z.output<typeof verificationRequest>

const proven = {
  verified: z.boolean(),
  verificationType: z.string().nullable(),
  attestationUid: z.string().nullable(),
  verifiedAt: z.string().nullable(),
}

export const verificationMade = z
  .object({ success: z.literal(true), ...proven })
  .meta({ id: 'VerificationMade' })

export const verificationView = z
  .object({
    ...proven,
    verifierAddress: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'Verification' })

export const verificationRemoved = z.object({ success: z.literal(true) })
