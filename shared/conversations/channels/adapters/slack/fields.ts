import * as z from 'zod'

const botToken = z
  .string({ error: 'botToken required' })
  .trim()
  .regex(/^xoxb-[\w-]{10,200}$/, 'botToken must be the "Bot User OAuth Token": xoxb-…')
  .describe('The "Bot User OAuth Token" of the app')

const signingSecret = z
  .string({ error: 'signingSecret required' })
  .trim()
  .regex(/^[0-9a-f]{32}$/, 'signingSecret must have 32 hexadecimal digits')
  .describe('The "Signing Secret" of the app')

export const newSlackChannel = z
  .object({ kind: z.literal('slack'), botToken, signingSecret })
  .meta({ id: 'NewSlackChannel' })

export const slackChange = z
  .object({ botToken: botToken.optional(), signingSecret: signingSecret.optional() })
  .meta({ id: 'SlackChannelChange' })
