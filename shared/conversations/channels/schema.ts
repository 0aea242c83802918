import * as z from 'zod'
import { newEmailChannel } from './adapters/email/fields.ts'
import { kinds } from './adapters/kinds.ts'
import { newSlackChannel } from './adapters/slack/fields.ts'
import { newTelegramChannel } from './adapters/telegram/fields.ts'
import { newWebhookChannel } from './adapters/webhook/fields.ts'
import { newWhatsappChannel } from './adapters/whatsapp/fields.ts'

/** One line for each kind of channel. */
export const newChannel = z
  .discriminatedUnion(
    'kind',
    [newEmailChannel, newSlackChannel, newTelegramChannel, newWebhookChannel, newWhatsappChannel],
    { error: `kind must be one of ${kinds.join(', ')}` },
  )
  .meta({ id: 'NewChannel' })

export type NewChannel = z.output<typeof newChannel>

const channelFields = {
  id: z.string(),
  kind: z.enum(kinds),
  settings: z.record(z.string(), z.string()).describe('The fields that are not secret'),
  address: z.string().optional().describe('The address of an email channel'),
  receiveUrl: z
    .string()
    .nullable()
    .describe('The address for the service; null if it is polled, and for mail'),
  createdAt: z.string(),
}

export const channelView = z.object(channelFields).meta({ id: 'Channel' })

export type ChannelView = z.output<typeof channelView>

export const createdChannel = z
  .object({
    ...channelFields,
    secret: z
      .string()
      .optional()
      .describe('The secret that the platform made for this channel; returned only once'),
  })
  .meta({ id: 'CreatedChannel' })

export type CreatedChannel = z.output<typeof createdChannel>

export const channelList = z.object({ channels: z.array(channelView) })
