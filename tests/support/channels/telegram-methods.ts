import type { ServerResponse } from 'node:http'
import type { PlayedBot, SentMessage } from './telegram-state.ts'

/** A response with an error of the Bot API. */
export class Refusal extends Error {
  readonly status: number
  readonly parameters: { retry_after?: number; migrate_to_chat_id?: number } | undefined

  constructor(status: number, message: string, parameters?: Refusal['parameters']) {
    super(message)
    this.status = status
    this.parameters = parameters
  }
}

/** Returns the response to a bot that sends too much. */
export const flood = (seconds: number) =>
  new Refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds })

type Fields = Record<string, unknown>

type Method = (bot: PlayedBot, fields: Fields, response: ServerResponse) => unknown

/** The largest photo and file that a bot can send: core.telegram.org/bots/api#sending-files. */
const largest = { photo: 10 * 1024 * 1024, document: 50 * 1024 * 1024 }

const longestText = 4096
const longestCaption = 1024

const bad = (what: string) => new Refusal(400, `Bad Request: ${what}`)

export const telegramMethods: Record<string, Method> = {
  getMe: ({ id, username }) => ({ id, is_bot: true, first_name: username, username }),

  setWebhook(bot, { url, secret_token: secret }) {
    if (url === '') return this.deleteWebhook?.(bot, {}, undefined as never)
    const parsed = URL.parse(text(url))
    if (parsed?.protocol !== 'https:')
      throw bad('bad webhook: An HTTPS URL must be provided for webhook')
    if (!['', '80', '88', '443', '8443'].includes(parsed.port))
      throw bad('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443')
    if (secret !== undefined && !/^[\w-]{1,256}$/.test(text(secret)))
      throw bad('secret token contains unallowed characters')
    bot.webhook = { url: parsed.href, secret: secret === undefined ? undefined : text(secret) }
    return true
  },

  deleteWebhook(bot, { drop_pending_updates: drop }) {
    bot.webhook = undefined
    if (drop === true || drop === 'true') bot.updates.length = 0
    return true
  },

  getWebhookInfo: ({ webhook, updates }) => ({
    url: webhook?.url ?? '',
    has_custom_certificate: false,
    pending_update_count: updates.length,
  }),

  async getUpdates(bot, { offset, timeout = 0, limit = 100 }, response) {
    if (bot.webhook !== undefined)
      throw new Refusal(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      )
    bot.replace?.()
    const from = offset === undefined ? 0 : Number(offset)
    while (bot.updates[0] !== undefined && bot.updates[0].update_id < from) bot.updates.shift()
    if (bot.updates.length === 0 && Number(timeout) > 0)
      await waiting(bot, Number(timeout), response)
    return bot.updates.slice(0, Number(limit))
  },

  sendMessage(bot, fields) {
    const said = text(fields.text)
    if (said.trim() === '') throw bad('message text is empty')
    if (said.length > longestText) throw bad('message is too long')
    const options = fields.link_preview_options as { is_disabled?: boolean } | undefined
    const isPreviewed = said.includes('https://') && options?.is_disabled !== true
    return sent(bot, fields, { text: said, ...(isPreviewed && { preview: true }) })
  },

  sendChatAction(bot, { chat_id: chat, action }) {
    openChat(bot, chat)
    if (!['typing', 'upload_photo', 'upload_document'].includes(text(action)))
      throw bad('wrong parameter action in request')
    bot.typing.push(text(chat))
    return true
  },

  sendPhoto: (bot, fields) => sendFile(bot, fields, 'photo'),
  sendDocument: (bot, fields) => sendFile(bot, fields, 'document'),

  getFile(bot, { file_id: id }) {
    const file = bot.publish(text(id))
    if (file === undefined) throw bad('invalid file_id')
    if (file === 'too-big') throw bad('file is too big')
    return {
      file_id: id,
      file_unique_id: text(id).slice(0, 12),
      file_size: file.size,
      file_path: file.path,
    }
  },
}

/** Waits for an update, for the timeout, or for another poll, which ends this one. */
async function waiting(bot: PlayedBot, seconds: number, response: ServerResponse): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, seconds * 1000)
  bot.wake = resolve
  const replaced = new Refusal(
    409,
    'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  )
  bot.replace = () => reject(replaced)
  response.on('close', resolve)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    bot.wake = undefined
    bot.replace = undefined
  }
}

async function sendFile(bot: PlayedBot, fields: Fields, kind: 'photo' | 'document') {
  const given = fields[kind]
  // A client may name the part of the form that contains the file.
  const part = /^attach:\/\/(.+)$/.exec(text(given))?.[1]
  const file = part === undefined ? given : fields[part]
  if (!(file instanceof Blob)) throw bad(`there is no ${kind} in the request`)
  if (file.size === 0) throw bad('file must be non-empty')
  if (file.size > largest[kind]) throw new Refusal(413, 'Request Entity Too Large')
  if (kind === 'photo' && !file.type.startsWith('image/')) throw bad('IMAGE_PROCESS_FAILED')
  if (fields.caption !== undefined && text(fields.caption).length > longestCaption)
    throw bad('message caption is too long')
  const { name } = file as File
  const bytes = Buffer.from(await file.arrayBuffer())
  return sent(bot, fields, { file: { kind, name, type: file.type, bytes } })
}

function sent(
  bot: PlayedBot,
  { chat_id: chat, message_thread_id: thread, reply_parameters: reply }: Fields,
  content: Pick<SentMessage, 'text' | 'file' | 'preview'>,
) {
  openChat(bot, chat)
  const parameters = (typeof reply === 'string' ? JSON.parse(reply) : reply) as
    | { message_id?: number }
    | undefined
  const threadId = thread === undefined ? undefined : Number(thread)
  bot.sent.push({ chatId: text(chat), threadId, replyTo: parameters?.message_id, ...content })
  return {
    message_id: bot.nextMessage(),
    date: 0,
    chat: { id: Number(chat) },
    ...(content.text && { text: content.text }),
  }
}

function openChat(bot: PlayedBot, chat: unknown): void {
  const state = bot.closed.get(text(chat))
  if (chat === undefined || state === 'missing') throw bad('chat not found')
  if (state === 'blocked') throw new Refusal(403, 'Forbidden: bot was blocked by the user')
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
