import { type ChatMessage, longestMessage } from '#shared/signals/spans/messages.ts'
import type { Chunk, Completion } from '../answers/form.ts'

/** Collects the first choice of an answer while it arrives. */
export interface AnswerCollector {
  see(part: Chunk | Completion): void
  /** Returns the message so far. */
  message(): ChatMessage
  /** The model's finish reason: `stop`, `length`, `tool_calls`. Null before the end. */
  readonly finishReason: string | null
}

interface Words {
  content?: unknown
  tool_calls?: unknown
}

interface Choice {
  index?: unknown
  delta?: Words | null
  message?: Words | null
  finish_reason?: unknown
}

interface Call {
  index?: unknown
  id?: unknown
  function?: { name?: unknown; arguments?: unknown } | null
}

interface CallSoFar extends Record<string, unknown> {
  id: string | undefined
  function: { name: string; arguments: string }
}

/** Collects the content of an answer, streamed or whole, for its span. */
export function collectAnswer(): AnswerCollector {
  let content = ''
  /** A message that is too long is omitted from the span, so the rest of it is not stored. */
  let room = longestMessage
  let finishReason: string | null = null
  const calls: CallSoFar[] = []

  function add(text: unknown): string {
    if (typeof text !== 'string' || room < 0) return ''
    room -= text.length
    return text
  }

  function addCall({ index, id, function: called }: Call, place: number): void {
    const at = typeof index === 'number' ? index : place
    // Models send one call after the other, so the position is used; the provider's index can be arbitrary.
    const collected = calls[at] ?? (at === calls.length ? begin() : undefined)
    if (collected === undefined) return
    if (typeof id === 'string') collected.id ??= id
    collected.function.name += add(called?.name)
    collected.function.arguments += add(called?.arguments)
  }

  function begin(): CallSoFar {
    const call = { id: undefined, function: { name: '', arguments: '' } }
    calls.push(call)
    return call
  }

  return {
    see({ choices }) {
      for (const choice of choices as readonly Choice[]) {
        if (typeof choice.index === 'number' && choice.index !== 0) continue
        const { content: text, tool_calls: asked } = choice.delta ?? choice.message ?? {}
        content += add(text)
        if (Array.isArray(asked))
          for (const [i, call] of asked.entries()) addCall(Object(call) as Call, i)
        if (typeof choice.finish_reason === 'string') finishReason = choice.finish_reason
      }
    },
    message: () => ({
      role: 'assistant',
      ...(content !== '' && { content }),
      ...(calls.length > 0 && { tool_calls: [...calls] }),
    }),
    get finishReason() {
      return finishReason
    },
  }
}
