import * as z from 'zod'
import { requiredText } from '#shared/platform/fields.ts'

const wrongSeconds = { error: 'seconds must be a whole number from 1 to 120' }
const wrongSize = { error: 'size must be width x height in pixels, such as 1280x720' }

/** contract.md 10. The provider validates what its model supports. */
export const newVideo = z
  .object({
    prompt: requiredText('prompt', 4000),
    seconds: z
      .union([z.number(), z.string()], wrongSeconds)
      .transform(Number)
      .pipe(z.int(wrongSeconds).min(1, wrongSeconds).max(120, wrongSeconds))
      .optional()
      .describe('Length of the video; default: the provider’s choice'),
    size: z
      .string(wrongSize)
      .regex(/^[1-9]\d{1,3}x[1-9]\d{1,3}$/, wrongSize)
      .optional()
      .describe('Width x height in pixels; default: the provider’s choice'),
  })
  .meta({ id: 'NewVideo' })

export type NewVideo = z.output<typeof newVideo>

export const videoOrdered = z.object({ jobId: z.string() }).meta({ id: 'VideoOrdered' })

export const jobParams = z.object({ id: z.string() })

export const jobView = z
  .object({
    id: z.string(),
    type: z.literal('video'),
    status: z
      .enum(['queued', 'processing', 'completed', 'failed'])
      .describe('`processing` once the provider has accepted the job'),
    url: z
      .string()
      .nullable()
      .describe('The video of a completed job; valid for one hour and new in each response'),
    error: z.string().nullable().describe('Why the job failed, as the provider reports it'),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'Job' })

export type JobView = z.input<typeof jobView>
