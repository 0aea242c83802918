import type { Channel } from '../../../../clients/typescript/index.ts'

export type Kind = Channel['kind']

/** A field of a new channel, which PATCH can change too. */
export interface ChannelField {
  /** Its name in the API. */
  name: string
  label: string
  isSecret: boolean
  isOptional?: boolean
  placeholder?: string
  hint?: string
}

interface KindWords {
  name: string
  /** The steps at the service before the channel is created. */
  before: readonly string[]
  /** The steps at the service afterwards, with the channel's address. */
  after: readonly string[]
  fields: readonly ChannelField[]
}

const secret = (name: string, label: string, hint: string): ChannelField => ({
  name,
  label,
  hint,
  isSecret: true,
})

/** The kinds of channels, with the names that their services show. */
export const kinds: Readonly<Record<Kind, KindWords>> = {
  telegram: {
    name: 'Telegram',
    before: [
      'In Telegram, open a chat with @BotFather and send /newbot.',
      'Choose a name, then a username that ends in bot.',
      'Copy the token from BotFather’s answer.',
    ],
    after: ['Write to the bot in Telegram. In a group, the bot reads only what is meant for it.'],
    fields: [secret('token', 'Bot token', 'Digits, a colon, then letters: from BotFather.')],
  },
  slack: {
    name: 'Slack',
    before: [
      'Open api.slack.com/apps, choose Create New App, then From scratch.',
      'Under OAuth & Permissions, add the bot token scopes app_mentions:read, channels:history, groups:history, im:history, chat:write, files:read and files:write.',
      'Under App Home, allow messages from the messages tab.',
      'Choose Install to Workspace, then copy the Bot User OAuth Token.',
      'Under Basic Information, copy the Signing Secret.',
    ],
    after: [
      'At Slack, under Event Subscriptions, switch on Enable Events and paste the address below as the Request URL.',
      'Under Subscribe to bot events, add app_mention, message.im, message.channels and message.groups, then Save Changes.',
      'Invite the bot to a channel and mention it, or write to it directly.',
    ],
    fields: [
      secret('botToken', 'Bot User OAuth Token', 'Begins with xoxb-.'),
      secret('signingSecret', 'Signing Secret', '32 hexadecimal digits.'),
    ],
  },
  whatsapp: {
    name: 'WhatsApp',
    before: [
      'At developers.facebook.com/apps, create an app and add WhatsApp to it.',
      'Under WhatsApp, API Setup, copy the Phone number ID.',
      'In the business settings, create a system user and generate a token with whatsapp_business_messaging and whatsapp_business_management.',
      'Under App settings, Basic, copy the App secret.',
    ],
    after: [
      'At Meta, under WhatsApp, Configuration, paste the address below as the Callback URL, and enter your verify token.',
      'Choose Verify and save, then subscribe to the field messages.',
    ],
    fields: [
      secret('accessToken', 'Access token', 'The token of the system user.'),
      {
        name: 'phoneNumberId',
        label: 'Phone number ID',
        isSecret: false,
        hint: 'Only digits. It is not the phone number.',
      },
      secret('appSecret', 'App secret', '32 hexadecimal digits.'),
      secret('verifyToken', 'Verify token', 'A text of your own with at least 8 characters.'),
    ],
  },
  email: {
    name: 'Email',
    before: ['There is nothing to set up elsewhere: the platform makes the address.'],
    after: ['Write to the address. Answers come from it, in the same thread.'],
    fields: [],
  },
  webhook: {
    name: 'Webhook',
    before: [
      'Decide what the agent is told for each request. {{body.title}} is replaced by the field title of its JSON.',
    ],
    after: [
      'Let the program send its requests to the address below, signed with the secret by Standard Webhooks.',
    ],
    fields: [
      {
        name: 'promptTemplate',
        label: 'Prompt',
        isSecret: false,
        placeholder: 'A ticket was opened: {{body.title}}. Answer it.',
      },
      {
        name: 'answerUrl',
        label: 'Address for answers',
        isSecret: false,
        isOptional: true,
        placeholder: 'https://example.com/answers',
        hint: 'Receives the answers, signed with the same secret. Leave empty for none.',
      },
    ],
  },
}

export const kindNames = Object.keys(kinds) as Kind[]

/** Returns what names a channel besides its kind, such as its address or its bot. */
export function nameOf({ kind, settings }: Channel): string {
  const { username, team, number, address, promptTemplate } = settings
  if (username !== undefined) return `@${username}`
  return team ?? number ?? address ?? promptTemplate ?? kinds[kind].name
}
