/** The largest request to the address of a channel in bytes: contract.md 18. */
export const maxInboundBytes = 3_000_000

/**
 * The longest text of a mail in characters, so that it fits with its HTML into a message of the queue of mails (256 KB):
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */
export const emailText = 25_000

/** The longest text of an answer to a webhook in characters; more than the longest message of an agent. */
export const webhookText = 100_000

/**
 * The longest message to Slack in characters. Slack recommends at most 4,000, and cuts off what exceeds 40,000:
 * docs.slack.dev, chat.postMessage, "Truncating content".
 */
export const slackText = 4000

/** The maximum age of a request of Slack in seconds: docs.slack.dev, "Verifying requests from Slack". */
export const slackSignatureSeconds = 300

/** The longest message to WhatsApp in characters: Meta's Cloud API, text messages, `body`. */
export const whatsappText = 4096

/** The seconds between two messages to the same person: Meta's Cloud API, pair rate limits. */
export const whatsappPairSeconds = 6

/** The version of Meta's Graph API; Meta serves each for at least two years. */
export const graphVersion = 'v25.0'

/** The files that WhatsApp accepts, by kind of message, with their largest sizes: Meta's "Supported media types". */
export const whatsappMedia: Readonly<Record<string, { types: readonly string[]; bytes: number }>> =
  {
    image: { types: ['image/jpeg', 'image/png'], bytes: 5 << 20 },
    video: { types: ['video/mp4', 'video/3gpp'], bytes: 16 << 20 },
    audio: {
      types: ['audio/aac', 'audio/amr', 'audio/mp4', 'audio/mpeg', 'audio/ogg'],
      bytes: 16 << 20,
    },
    document: {
      types: [
        'text/plain',
        'application/pdf',
        'application/msword',
        'application/vnd.ms-excel',
        'application/vnd.ms-powerpoint',
        'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
        'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
        'application/vnd.openxmlformats-officedocument.presentationml.presentation',
      ],
      bytes: 100 << 20,
    },
  }

/**
 * The largest file that is downloaded from a service, in bytes. Telegram serves no larger file to bots, and a function
 * holds the file in memory: core.telegram.org/bots/api#getfile.
 */
export const receivedFile = 20 << 20

/** The largest total size of the files of one message in bytes: the platform's own bound. */
export const receivedFiles = 50 << 20

/** The largest file in an answer to a webhook in bytes, which is base64 in its JSON: the platform's own bound. */
export const webhookFile = 5 << 20

/** The most files of one message that the agent gets: as many as an album of Telegram has. */
export const maxReceivedFiles = 10

/** The longest message to Telegram in UTF-16 units: core.telegram.org/bots/api#sendmessage. */
export const telegramText = 4096

/** The largest photo that a bot can send in bytes: core.telegram.org/bots/api#sendphoto. */
export const telegramPhotoBytes = 10 << 20

/** Slack shows a status without an answer for this time, in seconds: docs.slack.dev, assistant.threads.setStatus. */
export const slackTypingSeconds = 120

/** Telegram shows that somebody types for this time, in seconds: core.telegram.org/bots/api#sendchataction. */
export const telegramTypingSeconds = 5

/** WhatsApp shows that somebody types for this time, in seconds: Meta's Cloud API, typing indicators. */
export const whatsappTypingSeconds = 25
