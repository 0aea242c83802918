import * as z from 'zod'

const accessToken = z
  .string({ error: 'accessToken required' })
  .trim()
  .regex(/^\w{20,1000}$/, 'accessToken must be an access token of Meta')
  .describe('The access token of a system user')

const phoneNumberId = z
  .string({ error: 'phoneNumberId required' })
  .trim()
  .regex(/^\d{5,25}$/, 'phoneNumberId must have only digits: it is not the phone number')
  .describe('The "Phone number ID" of the number')

const appSecret = z
  .string({ error: 'appSecret required' })
  .trim()
  .regex(/^[0-9a-f]{32}$/, 'appSecret must have 32 hexadecimal digits')
  .describe('The "App secret" of the app')

const verifyToken = z
  .string({ error: 'verifyToken required' })
  .trim()
  .min(8, 'verifyToken must have at least 8 characters')
  .max(200, 'verifyToken must have at most 200 characters')
  .describe('A text of your own, which you enter at Meta too')

export const newWhatsappChannel = z
  .object({ kind: z.literal('whatsapp'), accessToken, phoneNumberId, appSecret, verifyToken })
  .meta({ id: 'NewWhatsappChannel' })

export const whatsappChange = z
  .object({
    accessToken: accessToken.optional(),
    phoneNumberId: phoneNumberId.optional(),
    appSecret: appSecret.optional(),
    verifyToken: verifyToken.optional(),
  })
  .meta({ id: 'WhatsappChannelChange' })
