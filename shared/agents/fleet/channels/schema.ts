import * as z from 'zod'
import { knownEmail, userIdText } from '#shared/accounts/users/schema.ts'
import { shortText } from '#shared/agents/record/config/schema.ts'
import { newChannelToken } from '#shared/agents/record/config/values.ts'
import { agentName } from '#shared/agents/record/schema.ts'

const channels = {
  telegramToken: newChannelToken.optional(),
  discordBotToken: newChannelToken.optional(),
  whatsappToken: newChannelToken.optional(),
}

export type ChannelTokens = { [Name in keyof typeof channels]?: string | undefined }

const hasChannel = ({ telegramToken, discordBotToken, whatsappToken }: ChannelTokens) =>
  (telegramToken ?? discordBotToken ?? whatsappToken) !== undefined

const noChannel = 'telegramToken, discordBotToken or whatsappToken required'

const required = (field: string, longest: number) =>
  z
    .string({ error: `${field} required` })
    .min(1, `${field} required`)
    .max(longest)

/** The body of POST /api/provision from a trusted caller: contract.md 7. */
export const channelProvisioning = z
  .object({
    userId: userIdText.optional().describe('The owner, unless x-user-id names one'),
    email: knownEmail.optional().describe('The owner, unless an id names one'),
    plan: required('plan', 64),
    aiProvider: required('aiProvider', 64),
    ...channels,
    name: agentName.optional(),
    subscriptionId: required('subscriptionId', 255).describe(
      'The subscription that pays for the agent',
    ),
  })
  .refine(hasChannel, noChannel)
  .meta({ id: 'NewAgentWithChannels' })

/** The body from a signed-in user. Owner and subscription come from the session. */
export const usersChannelProvisioning = z
  .object({
    plan: shortText(64).optional().describe("Default and maximum: the user's own plan"),
    aiProvider: shortText(64).optional(),
    ...channels,
    name: agentName.optional(),
  })
  .refine(hasChannel, noChannel)
  .meta({ id: 'NewAgentWithChannels' })

export type ChannelProvisioning = z.output<typeof channelProvisioning>
export type UsersChannelProvisioning = z.output<typeof usersChannelProvisioning>

export const channelAnswer = z
  .object({
    success: z.literal(true),
    userId: z.string(),
    agentId: z.string(),
    aiProvider: z.string(),
    plan: z.string(),
    subdomain: z.string(),
    url: z.string(),
    status: z.literal(['pending', 'provisioning', 'active', 'stopped', 'error']),
    createdAt: z.string(),
    channels: z.object({ telegram: z.boolean(), discord: z.boolean(), whatsapp: z.boolean() }),
  })
  .meta({ id: 'AgentWithChannels' })
