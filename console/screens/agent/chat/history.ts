import { computed, signal } from '@preact/signals'
import { platform } from '../../../base/platform.ts'
import { mergePage, type HistoryPage } from './page.ts'
import { turnsOf } from './turn.ts'

export interface ConversationOptions {
  agentId: string
  /** `default` is the unnamed conversation. */
  topic: string
}

/** The number of messages per request. */
const limit = 100

/** The stored messages of a conversation: the latest page, and the earlier pages that were loaded. */
export class History {
  readonly #about: ConversationOptions
  readonly #ended: AbortSignal
  readonly #shown = signal<HistoryPage | undefined>(undefined)
  /** Undefined until loaded. */
  readonly turns = computed(() => this.#shown.value && turnsOf(this.#shown.value.messages))
  readonly hasEarlier = computed(() => typeof this.#shown.value?.cursor === 'string')

  constructor(about: ConversationOptions, ended: AbortSignal) {
    this.#about = about
    this.#ended = ended
  }

  /**
   * Requests the latest messages, or those before a cursor.
   * @throws PlatformError
   */
  async ask(cursor?: string): Promise<HistoryPage> {
    const query = { ...this.#about, limit, ...(cursor !== undefined && { cursor }) }
    const request = platform.chat.history(query, { signal: this.#ended })
    const { data, response } = await request.withResponse()
    return { messages: data, cursor: response.headers.get('x-next-cursor') }
  }

  /** Updates the latest messages. */
  hear(page: HistoryPage): void {
    this.#shown.value = mergePage(this.#shown.value, page)
  }

  /**
   * Loads and shows earlier messages.
   * @throws PlatformError
   */
  async earlier(): Promise<void> {
    const cursorNow = () => this.#shown.value?.cursor ?? null
    // A page can be empty if its messages belong to other conversations.
    for (let at = cursorNow(); at !== null; at = cursorNow()) {
      const { messages, cursor } = await this.ask(at)
      // The shown messages were replaced in the meantime, and have another cursor.
      if (cursorNow() !== at) continue
      this.#shown.value = {
        messages: [...messages, ...(this.#shown.value?.messages ?? [])],
        cursor,
      }
      if (messages.length > 0) return
    }
  }
}
