import { randomBytes, randomInt } from 'node:crypto'

/** A request that Telegram sends to a bot's webhook. */
interface TelegramPost {
  url: string
  headers: Record<string, string>
  body: string
}

export interface SentMessage {
  chatId: string
  threadId: number | undefined
  text?: string
  replyTo: number | undefined
  /** True if Telegram requests the first link of the text, to show what is there. */
  preview?: boolean
  file?: { kind: 'photo' | 'document'; name: string; type: string; bytes: Buffer }
}

interface Person {
  id: number
  first_name: string
  last_name?: string
  username?: string
  is_bot?: boolean
}

interface Said {
  from?: Person
  chat?: { id: number; type: 'private' | 'group' | 'supergroup'; is_forum?: true }
  [field: string]: unknown
}

/** The largest file that a bot can download: core.telegram.org/bots/api, getFile. */
const longestDownload = 20 * 1024 * 1024

/** A bot at the played Telegram: its webhook, its updates, and what it sent. */
export class PlayedBot {
  readonly id = randomInt(1e9, 9e9)
  readonly token = `${this.id}:${randomBytes(26).toString('base64url')}`
  webhook: { url: string; secret: string | undefined } | undefined
  /** Updates that the bot has not confirmed. */
  readonly updates: { update_id: number }[] = []
  readonly sent: SentMessage[] = []
  /** The chats where the bot appeared to be typing. */
  readonly typing: string[] = []
  /** The files of its chats by id. */
  readonly files = new Map<string, { path: string; content: Buffer }>()
  /** The files that can be downloaded, by path. */
  readonly paths = new Map<string, Buffer>()
  /** Chats that do not exist or blocked the bot. */
  readonly closed = new Map<string, 'missing' | 'blocked'>()
  /** Ends the long poll that waits. */
  wake: (() => void) | undefined
  /** Ends the long poll that waits, because another one began. */
  replace: (() => void) | undefined
  #update = randomInt(1e8, 9e8)
  #message = 0

  readonly username: string

  constructor(username: string) {
    this.username = username
  }

  nextMessage(): number {
    return ++this.#message
  }

  /** Receives a message for the bot. @returns its update */
  receive({ from, chat, ...said }: Said) {
    const sender = { is_bot: false, ...(from ?? { id: 77, first_name: 'Ada' }) }
    const update = {
      update_id: ++this.#update,
      message: {
        message_id: this.nextMessage(),
        date: Math.floor(Date.now() / 1000),
        from: sender,
        chat: chat ?? { id: sender.id, type: 'private', first_name: sender.first_name },
        ...said,
      },
    }
    this.updates.push(update)
    this.wake?.()
    return update
  }

  /** Stores a file that someone sent. @returns the fields that name it in a message */
  file(content: Buffer, name = 'file.bin') {
    const id = randomBytes(20).toString('base64url')
    this.files.set(id, { path: `documents/${this.files.size}-${name}`, content })
    return { file_id: id, file_unique_id: id.slice(0, 12), file_size: content.length }
  }

  /** @returns a file's path for its download, or undefined if it is unknown or too large */
  publish(id: string): { path: string; size: number } | 'too-big' | undefined {
    const file = this.files.get(id)
    if (file === undefined) return undefined
    if (file.content.length > longestDownload) return 'too-big'
    this.paths.set(file.path, file.content)
    return { path: file.path, size: file.content.length }
  }

  /** Returns the request that Telegram sends to the bot's webhook for an update. */
  post(update: object): TelegramPost {
    if (this.webhook === undefined) throw new Error('the bot has no webhook')
    const { url, secret } = this.webhook
    return {
      url,
      headers: {
        'content-type': 'application/json',
        ...(secret !== undefined && { 'x-telegram-bot-api-secret-token': secret }),
      },
      body: JSON.stringify(update),
    }
  }
}
