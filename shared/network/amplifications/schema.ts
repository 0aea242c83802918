import * as z from 'zod'
import { amountField } from '#shared/money/fields/amount.ts'
import { requiredText } from '#shared/platform/fields.ts'

const optionalText = (name: string, most: number) =>
  z
    .string({ error: `payload.${name} must be a string` })
    .max(most, `payload.${name} must have at most ${most} characters`)
    .nullish()

function isWebAddress(url: string | null | undefined): boolean {
  if (url === undefined || url === null || url === '') return true
  const protocol = URL.parse(url)?.protocol
  return protocol === 'http:' || protocol === 'https:'
}

/** The payload of an AMPLIFY_REQUEST or AMPLIFY_TRACK: contract.md 9, Negotiation. */
export const amplificationRequest = z
  .object({
    trackId: optionalText('trackId', 200),
    // The recipients open this URL, so other schemes are refused.
    url: optionalText('url', 2_000).refine(isWebAddress, {
      error: 'payload.url must be an http or https address',
    }),
    reward: amountField('payload.reward'),
  })
  .refine(({ trackId, url }) => Boolean(trackId) || Boolean(url), {
    error: 'payload.trackId or payload.url is required',
  })

export const confirmation = z.object({
  amplificationId: requiredText('payload.amplificationId', 128),
})

export const amplificationParams = z.object({ id: z.string() })

export const amplification = z
  .object({
    id: z.string().describe('The id of the request message'),
    status: z.enum(['requested', 'confirmed']),
    from: z.string().describe('The agent that sent the request'),
    to: z.string(),
    trackId: z.string().nullable(),
    url: z.string().nullable(),
    reward: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'Amplification' })

export type Amplification = z.output<typeof amplification>
