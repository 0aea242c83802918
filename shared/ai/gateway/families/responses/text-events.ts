import { idPrefixes } from '#shared/manifest/ids.ts'
import { newId } from '#shared/platform/ids.ts'
import {
  type ItemStatus,
  type MessagePart,
  messageItem,
  type OutputItem,
  reasoningItem,
  refusalPart,
  textPart,
  type Unnumbered,
} from './output.ts'

/** The events of a message, or of the thinking before it. */
export class StreamedText {
  readonly kind: 'message' | 'reasoning'
  readonly place: number
  readonly #id: string
  /** The complete parts of a message. */
  readonly #parts: MessagePart[] = []
  readonly #texts: string[] = []
  readonly #logprobs: unknown[] = []
  #open: 'output_text' | 'refusal' | 'summary' | undefined

  /** @param place the index of the item in the output */
  constructor(kind: 'message' | 'reasoning', place: number) {
    this.kind = kind
    this.place = place
    this.#id = newId(kind === 'message' ? idPrefixes.message : idPrefixes.reasoning)
  }

  *begin(): Generator<Unnumbered> {
    const item =
      this.kind === 'message'
        ? messageItem(this.#id, [], 'in_progress')
        : reasoningItem(this.#id, '', '')
    yield { type: 'response.output_item.added', output_index: this.place, item }
  }

  *think(delta: string): Generator<Unnumbered> {
    if (this.#open === undefined) {
      this.#open = 'summary'
      const part = { type: 'summary_text', text: '' }
      yield this.#event('response.reasoning_summary_part.added', { summary_index: 0, part })
    }
    this.#texts.push(delta)
    yield this.#event('response.reasoning_summary_text.delta', { summary_index: 0, delta })
  }

  *say(kind: 'output_text' | 'refusal', delta: string, logprobs: unknown): Generator<Unnumbered> {
    if (this.#open !== kind) {
      yield* this.#endPart()
      this.#open = kind
      const part = kind === 'refusal' ? refusalPart('') : textPart('', undefined)
      yield this.#event('response.content_part.added', { ...this.#index(), part })
    }
    this.#texts.push(delta)
    if (kind === 'refusal') {
      yield this.#event('response.refusal.delta', { ...this.#index(), delta })
      return
    }
    const sent = Array.isArray(logprobs) ? (logprobs as unknown[]) : []
    this.#logprobs.push(...sent)
    yield this.#event('response.output_text.delta', { ...this.#index(), delta, logprobs: sent })
  }

  /** @param sealed the encrypted content of the thinking */
  *end(status: ItemStatus, sealed: string): Generator<Unnumbered, OutputItem> {
    const thinking = this.#texts.join('')
    yield* this.#endPart()
    const item =
      this.kind === 'message'
        ? messageItem(this.#id, this.#parts, status)
        : reasoningItem(this.#id, thinking, sealed)
    yield { type: 'response.output_item.done', output_index: this.place, item }
    return item
  }

  *#endPart(): Generator<Unnumbered> {
    const text = this.#texts.splice(0).join('')
    if (this.#open === 'summary') {
      const at = { summary_index: 0 }
      yield this.#event('response.reasoning_summary_text.done', { ...at, text })
      const part = { type: 'summary_text', text }
      yield this.#event('response.reasoning_summary_part.done', { ...at, part })
    } else if (this.#open !== undefined) {
      const index = this.#index()
      const logprobs = this.#logprobs.splice(0)
      const part = this.#open === 'refusal' ? refusalPart(text) : textPart(text, logprobs)
      yield this.#open === 'refusal'
        ? this.#event('response.refusal.done', { ...index, refusal: text })
        : this.#event('response.output_text.done', { ...index, text, logprobs })
      yield this.#event('response.content_part.done', { ...index, part })
      this.#parts.push(part)
    }
    this.#open = undefined
  }

  #index() {
    return { content_index: this.#parts.length }
  }

  #event(type: string, fields: Record<string, unknown>): Unnumbered {
    return { type, item_id: this.#id, output_index: this.place, ...fields }
  }
}
