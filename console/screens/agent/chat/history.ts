import { computed, signal } from '@preact/signals'
import type { Message } from '../../../../clients/typescript/index.ts'
import { platform } from '../../../app/platform.ts'
import { type Turn, turnsOf } from './turn.ts'

export interface ConversationOptions {
  agentId: string
  /** `default` is the one without a name. */
  topic: string
}

/** Messages, oldest first. */
export interface HistoryPage {
  messages: readonly Message[]
  /** Of the page before; null where nothing was said before. */
  cursor: string | null
}

/** How many messages are asked for at once. */
const limit = 100

/** What was said in a conversation: its last messages, and what was said before as far as it was asked for. */
export class History {
  /** Undefined until it was heard. */
  readonly turns = signal<readonly Turn[] | undefined>(undefined)
  readonly hasEarlier = computed(() => this.#cursor.value !== null)
  readonly #about: ConversationOptions
  readonly #ended: AbortSignal
  readonly #cursor = signal<string | null>(null)
  #messages: readonly Message[] = []

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

  /** Takes the last messages as they are now. What is shown of those before stays. */
  hear({ messages, cursor }: HistoryPage): void {
    const [first] = messages
    const isBefore = ({ id }: Message) => first !== undefined && id < first.id
    const earlier = cursor === null ? [] : this.#messages.filter(isBefore)
    if (earlier.length === 0) this.#cursor.value = cursor
    this.#show([...earlier, ...messages])
  }

  /** Asks for what was said before, and shows it. @throws PlatformError */
  async earlier(): Promise<void> {
    // Where the agent was told other things in between, a page may have nothing of this conversation.
    for (let at = this.#cursor.value; at !== null; at = this.#cursor.value) {
      const { messages, cursor } = await this.ask(at)
      if (this.#cursor.value !== at) return
      this.#cursor.value = cursor
      this.#show([...messages, ...this.#messages])
      if (messages.length > 0) return
    }
  }

  #show(messages: readonly Message[]): void {
    this.#messages = messages
    this.turns.value = turnsOf(messages)
  }
}
