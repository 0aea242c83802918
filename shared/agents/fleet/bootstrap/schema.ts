import * as z from 'zod'

export function nonceSchema() {
  return z
    .string()
    .regex(/^[\w-]{32,128}$/, 'nonce must be 32 to 128 letters, digits, "-" and "_"')
    .describe('Chosen by the container; the same for each retry')
}

export const bootstrapQuestion = z.object({
  agentId: z.string().max(64),
  generation: z.number().int().min(1).max(1_000_000_000),
  nonce: nonceSchema(),
})

const texts = z.record(z.string(), z.string())

export const bootstrapAnswer = z.object({ variables: texts, credentials: texts })
