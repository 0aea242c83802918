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

/** A step at a service. One with `href` is a link. */
export type Step = string | { text: string; href: string }

interface KindWords {
  name: string
  /** The steps at the service before the channel is created. */
  before: readonly Step[]
  /** The steps at the service afterwards, with the channel's address. */
  after: readonly Step[]
  fields: readonly ChannelField[]
}

/** The manifest of an app for a channel: https://docs.slack.dev/reference/app-manifest */
const slackApp = {
  display_information: { name: 'Agent' },
  features: {
    app_home: { messages_tab_enabled: true, messages_tab_read_only_enabled: false },
    bot_user: { display_name: 'Agent' },
  },
  oauth_config: {
    scopes: {
      bot: 'app_mentions:read channels:history chat:write files:read files:write groups:history im:history'.split(
        ' ',
      ),
    },
  },
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
      'Copy the token from the answer.',
    ],
    after: ['Write to the bot in Telegram. In a group, the bot reads only what is meant for it.'],
    fields: [secret('token', 'Bot token', 'Digits, a colon, then letters.')],
  },
  slack: {
    name: 'Slack',
    before: [
      {
        text: 'Open Slack’s page for a new app, which is filled in.',
        href: `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(JSON.stringify(slackApp))}`,
      },
      'Choose the workspace, then Next and Create.',
      'Under Install App, choose Install to Workspace, and copy the Bot User OAuth Token.',
      'Under Basic Information, show and copy the Signing Secret.',
    ],
    after: [
      'Under Event Subscriptions, switch on Enable Events and paste the address below as the Request URL.',
      'Under Subscribe to bot events, add app_mention, message.channels, message.groups and message.im, then Save Changes.',
      'Write to the app in Slack, or invite it to a channel and mention it.',
    ],
    fields: [
      secret('botToken', 'Bot User OAuth Token', 'Begins with xoxb-.'),
      secret('signingSecret', 'Signing Secret', '32 hexadecimal digits.'),
    ],
  },
  whatsapp: {
    name: 'WhatsApp',
    before: [
      'At developers.facebook.com/apps, choose Create App, then Connect with customers through WhatsApp.',
      'Under WhatsApp, API Setup, copy the Phone number ID.',
      'In the business settings, add a system user, assign the app and the WhatsApp account to it, and generate a token with whatsapp_business_messaging and whatsapp_business_management.',
      'Under App settings, Basic, show and copy the App secret.',
    ],
    after: [
      'Under WhatsApp, Configuration, paste the address below as the Callback URL, and enter your verify token.',
      'Choose Verify and save, then subscribe to the field messages.',
    ],
    fields: [
      secret('accessToken', 'Access token', 'A system user’s.'),
      {
        name: 'phoneNumberId',
        label: 'Phone number ID',
        isSecret: false,
        hint: 'Not the phone number.',
      },
      secret('appSecret', 'App secret', '32 hexadecimal digits.'),
      secret('verifyToken', 'Verify token', 'Choose at least 8 characters.'),
    ],
  },
  email: {
    name: 'Email',
    before: ['There is nothing to set up: the platform creates the address.'],
    after: ['Write to the address. Answers come in the same thread.'],
    fields: [],
  },
  webhook: {
    name: 'Webhook',
    before: [
      'Write the prompt for each request. {{body.title}} is replaced by a field of its JSON body.',
    ],
    after: ['Send requests to the address below, signed with the secret by Standard Webhooks.'],
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
        hint: 'Receives the answers, signed with the same secret.',
      },
    ],
  },
}

export const kindNames = Object.keys(kinds) as Kind[]

/** Returns the name that a channel is shown with, such as its address or its bot. */
export function nameOf({ kind, settings }: Channel): string {
  const { username, team, number, address, promptTemplate } = settings
  if (username !== undefined) return `@${username}`
  return team ?? number ?? address ?? promptTemplate ?? kinds[kind].name
}
