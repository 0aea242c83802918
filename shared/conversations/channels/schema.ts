import * as z from 'zod'
import { countOf, cursorText } from '#shared/platform/fields.ts'
import { emailChange, newEmailChannel } from './adapters/email/fields.ts'
import { kinds } from './adapters/kinds.ts'
import { newSlackChannel, slackChange } from './adapters/slack/fields.ts'
import { newTelegramChannel, telegramChange } from './adapters/telegram/fields.ts'
import { newWebhookChannel, webhookChange } from './adapters/webhook/fields.ts'
import { newWhatsappChannel, whatsappChange } from './adapters/whatsapp/fields.ts'

/** One line for each kind of channel. */
export const newChannel = z
  .discriminatedUnion(
    'kind',
    [newEmailChannel, newSlackChannel, newTelegramChannel, newWebhookChannel, newWhatsappChannel],
    { error: `kind must be one of ${kinds.join(', ')}` },
  )
  .meta({ id: 'NewChannel' })

export type NewChannel = z.output<typeof newChannel>

export const inboundParams = z.object({
  kind: z.string().max(16),
  channelId: z.string().max(64),
})

const channelFields = {
  id: z.string(),
  kind: z.enum(kinds),
  settings: z.record(z.string(), z.string()).describe('The fields that are not secret'),
  address: z.string().optional().describe('The address of an email channel'),
  receiveUrl: z
    .string()
    .nullable()
    .describe('The address for the service; null if it is polled, and for mail'),
  waiting: z.number().describe('Senders who wait'),
  createdAt: z.string(),
}

export const channelView = z.object(channelFields).meta({ id: 'Channel' })

export type ChannelView = z.output<typeof channelView>

export const createdChannel = z
  .object({
    ...channelFields,
    secret: z.string().optional().describe('Made by the platform, returned only once'),
  })
  .meta({ id: 'CreatedChannel' })

export type CreatedChannel = z.output<typeof createdChannel>

export const channelParams = z.object({ id: z.string(), channelId: z.string() })

/** Any object: the schema `change` of the channel's adapter validates it. */
export const channelChange = z.looseObject({})

/** One line for each kind of channel. */
export const documentedChange = z
  .union([emailChange, slackChange, telegramChange, webhookChange, whatsappChange])
  .meta({ id: 'ChannelChange' })

export const channelDeleted = z
  .object({ success: z.literal(true), id: z.string() })
  .meta({ id: 'ChannelDeleted' })

export const deliveriesQuery = z.object({ limit: countOf('limit', 50, 100), cursor: cursorText() })

const channelDelivery = z
  .object({
    id: z.string(),
    at: z.string(),
    chat: z.string(),
    text: z.string().describe('The beginning of the text'),
    state: z
      .enum(['waiting', 'sent', 'failed', 'unknown'])
      .describe('unknown: sending it was interrupted, and not repeated'),
    reason: z.string().nullable(),
    attempts: z.number(),
  })
  .meta({ id: 'ChannelDelivery' })

export type ChannelDelivery = z.output<typeof channelDelivery>

export const channelDeliveryList = z.object({ deliveries: z.array(channelDelivery) })

export const channelList = z.object({ channels: z.array(channelView) })
