import type { Message } from './messages.ts'

export interface ToolCall {
  id?: string
  type: 'function'
  function: { name: string; arguments: string }
}

interface CallPart {
  index: number
  id?: string
  function?: { name?: string; arguments?: string }
}

interface Delta {
  content?: string | null
  tool_calls?: unknown
}

/** As many as tools may be offered. */
const mostToolCalls = 256

/** The part of a streamed chunk or a whole completion that the gateway reads. */
interface Completion {
  choices?: { delta?: Delta; message?: Message; finish_reason?: string | null }[]
}

/** Puts an assistant's message together from the chunks of a stream. */
export class AnswerBuilder {
  #content = ''
  readonly #toolCalls: ToolCall[] = []
  /** Whether the last chunk had a part of a tool call. */
  addedCall = false

  /** Whether tool calls have begun. */
  get calling(): boolean {
    return this.#toolCalls.length > 0
  }

  /** Adds one chunk's data, and answers the text in it. Data that is no completion chunk adds nothing. */
  add(data: string): string {
    const delta = parseCompletion(data)?.choices?.[0]?.delta
    const text = typeof delta?.content === 'string' ? delta.content : ''
    this.#content += text
    const parts = callParts(delta?.tool_calls)
    this.addedCall = parts.length > 0
    for (const part of parts) {
      const call = (this.#toolCalls[part.index] ??= {
        type: 'function',
        function: { name: '', arguments: '' },
      })
      if (part.id !== undefined) call.id = part.id
      call.function.name += part.function?.name ?? ''
      call.function.arguments += part.function?.arguments ?? ''
    }
    return text
  }

  /**
   * The message so far, or undefined while nothing has been said.
   * @param whole false for an answer that broke off: a tool call may be half there and is left out
   */
  message(whole: boolean): Message | undefined {
    const calls = whole ? this.#toolCalls.filter((call) => call !== undefined) : []
    if (this.#content === '' && calls.length === 0) return undefined
    const content = this.#content === '' ? null : this.#content
    return {
      role: 'assistant',
      content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    }
  }
}

/** The assistant's message of an answer that came in one piece; no model speaks in anybody else's name. */
export function wholeAnswer(text: string): Message | undefined {
  const message = parseCompletion(text)?.choices?.[0]?.message
  if (typeof message !== 'object' || message === null) return undefined
  return { ...message, role: 'assistant' }
}

/** Where a call stands among the others is the model's word: one place far out would make the list endless. */
function callParts(given: unknown): CallPart[] {
  if (!Array.isArray(given)) return []
  return given.filter((part: Partial<CallPart> | null): part is CallPart => {
    const index = part?.index
    return Number.isInteger(index) && Number(index) >= 0 && Number(index) < mostToolCalls
  })
}

function parseCompletion(text: string): Completion | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    // Passed on to the caller as it is; there is only nothing to remember in it.
    return undefined
  }
}
