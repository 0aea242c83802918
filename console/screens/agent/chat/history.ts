import { computed, signal } from '@preact/signals'
import { platform } from '../../../app/platform.ts'
import { heard, type HistoryPage } from './page.ts'
import { turnsOf } from './turn.ts'

export interface ConversationOptions {
  agentId: string
  /** `default` is the one without a name. */
  topic: string
}

/** How many messages are asked for at once. */
const limit = 100

/** What was said in a conversation: its last messages, and what was said before as far as it was asked for. */
export class History {
  readonly #about: ConversationOptions
  readonly #ended: AbortSignal
  readonly #shown = signal<HistoryPage | undefined>(undefined)
  /** Undefined until it was heard. */
  readonly turns = computed(() => this.#shown.value && turnsOf(this.#shown.value.messages))
  readonly hasEarlier = computed(() => typeof this.#shown.value?.cursor === 'string')

  constructor(about: ConversationOptions, ended: AbortSignal) {
    this.#about = about
    this.#ended = ended
  }

  /** Asks for the last messages, or for those before a cursor. @throws PlatformError */
  async ask(cursor?: string): Promise<HistoryPage> {
    const query = { ...this.#about, limit, ...(cursor !== undefined && { cursor }) }
    const asked = platform.chat.history(query, { signal: this.#ended })
    const { data, response } = await asked.withResponse()
    return { messages: data, cursor: response.headers.get('x-next-cursor') }
  }

  /** Takes the last messages as they are now. */
  hear(page: HistoryPage): void {
    this.#shown.value = heard(this.#shown.value, page)
  }

  /** Asks for what was said before, and shows it. @throws PlatformError */
  async earlier(): Promise<void> {
    const cursorNow = () => this.#shown.value?.cursor ?? null
    // Where the agent was told other things in between, a page may have nothing of this conversation.
    for (let at = cursorNow(); at !== null; at = cursorNow()) {
      const { messages, cursor } = await this.ask(at)
      // What is shown was begun anew meanwhile: that has another place before it.
      if (cursorNow() !== at) continue
      this.#shown.value = {
        messages: [...messages, ...(this.#shown.value?.messages ?? [])],
        cursor,
      }
      if (messages.length > 0) return
    }
  }
}
