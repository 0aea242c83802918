import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import type { Inbound, OpenChannel } from '../adapter.ts'
import { jsonBody } from '../json-body.ts'

const media = () =>
  z.object({
    // The id becomes a part of a URL's path.
    id: z.string().regex(/^[\w.-]{1,128}$/),
    mime_type: z.string().max(200).optional(),
    filename: z.string().max(240).optional(),
    caption: z.string().optional(),
  })

export const mediaKinds = ['image', 'video', 'audio', 'document', 'sticker'] as const

const message = once(() =>
  z.object({
    id: z.string().min(1).max(256),
    from: z
      .string()
      .regex(/^\d{5,20}$/)
      .optional(),
    from_user_id: z.string().max(80).optional(),
    group_id: z.string().max(80).optional(),
    timestamp: z.string().regex(/^\d{1,12}$/),
    type: z.string(),
    text: z.object({ body: z.string() }).optional(),
    button: z.object({ text: z.string() }).optional(),
    interactive: z
      .object({
        button_reply: z.object({ title: z.string() }).optional(),
        list_reply: z.object({ title: z.string() }).optional(),
      })
      .optional(),
    location: z
      .object({
        latitude: z.number(),
        longitude: z.number(),
        name: z.string().optional(),
        address: z.string().optional(),
      })
      .optional(),
    image: media().optional(),
    video: media().optional(),
    audio: media().optional(),
    document: media().optional(),
    sticker: media().optional(),
  }),
)

export type Message = z.infer<ReturnType<typeof message>>

const contact = once(() =>
  z.object({
    profile: z.object({ name: z.string().optional() }).optional(),
    wa_id: z.string().optional(),
    user_id: z.string().optional(),
  }),
)

const status = once(() =>
  z.object({
    status: z.string(),
    biz_opaque_callback_data: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .optional(),
    errors: z
      .array(
        z.object({ code: z.number(), error_data: z.object({ details: z.string() }).optional() }),
      )
      .optional(),
  }),
)

export type Status = z.infer<ReturnType<typeof status>>

const payload = once(() =>
  z.object({
    object: z.literal('whatsapp_business_account'),
    entry: z.array(
      z.object({
        changes: z.array(
          z.object({
            field: z.string(),
            value: z.looseObject({
              metadata: z.object({ phone_number_id: z.string() }).optional(),
              contacts: z.array(z.unknown()).optional(),
              messages: z.array(z.unknown()).optional(),
              statuses: z.array(z.unknown()).optional(),
            }),
          }),
        ),
      }),
    ),
  }),
)

export interface Change {
  messages: Message[]
  contacts: z.infer<ReturnType<typeof contact>>[]
  statuses: Status[]
}

/**
 * Returns the changes of the channel's own number, because an app gets the messages of all its numbers. A message in an
 * unknown form is skipped.
 */
export function changesOf({ settings }: OpenChannel, { body }: Inbound): Change[] {
  const parsed = payload().safeParse(jsonBody(body))
  if (!parsed.success) return []
  return parsed.data.entry
    .flatMap(({ changes }) => changes)
    .filter(
      ({ field, value }) =>
        field === 'messages' && value.metadata?.phone_number_id === settings['phoneNumberId'],
    )
    .map(({ value }) => ({
      messages: known(message(), value.messages),
      contacts: known(contact(), value.contacts),
      statuses: known(status(), value.statuses),
    }))
}

function known<T>(schema: z.ZodType<T>, values: readonly unknown[] = []): T[] {
  return values.flatMap((value) => {
    const { success, data } = schema.safeParse(value)
    return success ? [data] : []
  })
}
