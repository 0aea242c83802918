import { isObject } from './form.ts'

/** The text of a message's content, and the model's thinking. */
interface ContentText {
  text: string
  thinking: string
}

/**
 * Returns the text of a content that is a list of parts. Mistral's and Databricks' reasoning models send thinking and
 * text in this form: https://docs.mistral.ai/capabilities/reasoning
 */
function textOfParts(parts: readonly unknown[]): ContentText {
  const read: ContentText = { text: '', thinking: '' }
  for (const part of parts) {
    if (typeof part === 'string') read.text += part
    else if (isObject(part)) {
      if (isThought(part)) read.thinking += thoughtOf(part)
      else if (typeof part.text === 'string') read.text += part.text
    }
  }
  return read
}

function thoughtOf({ thinking, reasoning, summary, text }: Record<string, unknown>): string {
  const reasoningText = thinking ?? reasoning ?? summary ?? text
  if (typeof reasoningText === 'string') return reasoningText
  return Array.isArray(reasoningText) ? textOfParts(reasoningText).text : ''
}

/** An entry of `reasoning_details` with a part of a content that only its model understands, or a piece of it. */
interface PartDetail extends Record<string, unknown> {
  type: typeof partType
  /** The model that wrote the part, by the platform's id: other models may refuse it. */
  model: string
  /** Pieces of one part have the same index. */
  index: number
  part: Record<string, unknown>
}

const partType = 'reasoning.part'

/** Converts the content of one choice to text, message by message or delta by delta. */
export class ContentReader {
  readonly #model: string
  readonly #isWhole: boolean
  #index = -1
  /** The type of the part that the next piece can continue. */
  #open: unknown

  /** @param isWhole true for a whole answer: each of its parts is complete */
  constructor(model: string, isWhole: boolean) {
    this.#model = model
    this.#isWhole = isWhole
  }

  /**
   * Returns a message or a delta with its content as text. Thinking parts become `reasoning_content`, and
   * `reasoning_details` has them unchanged, because a model may require them back with their signatures.
   * @returns the same object if nothing changes
   */
  read(words: Record<string, unknown>): Record<string, unknown> {
    const { content, reasoning_details: known } = words
    if (typeof content === 'string' && content !== '') this.#open = undefined
    if (content === undefined || content === null || typeof content === 'string') return words
    if (!Array.isArray(content)) return { ...words, content: null }
    const { text, thinking } = textOfParts(content)
    const details = content.flatMap((part: unknown) => this.#detailOf(part) ?? [])
    return {
      ...words,
      content: text,
      ...(thinking !== '' && typeof words.reasoning_content !== 'string'
        ? { reasoning_content: thinking }
        : {}),
      ...(details.length > 0 && {
        reasoning_details: [...(Array.isArray(known) ? (known as unknown[]) : []), ...details],
      }),
    }
  }

  #detailOf(part: unknown): PartDetail | undefined {
    if (!isObject(part) || !isThought(part)) {
      this.#open = undefined
      return undefined
    }
    if (this.#isWhole || this.#open !== part.type) this.#index++
    this.#open = isSigned(part) || part.closed === true ? undefined : part.type
    return { type: partType, model: this.#model, index: this.#index, part }
  }
}

function isThought({ type }: Record<string, unknown>): boolean {
  return typeof type === 'string' && /think|reason/.test(type)
}

/** True if a part or one of its items has a signature, which ends it. */
function isSigned(part: Record<string, unknown>): boolean {
  if (typeof part.signature === 'string' && part.signature !== '') return true
  return Object.values(part).some((value) => Array.isArray(value) && value.some(isSignedItem))
}

function isSignedItem(item: unknown): boolean {
  return isObject(item) && typeof item.signature === 'string' && item.signature !== ''
}

/**
 * Returns a message of a history as its model wrote it: the parts in `reasoning_details` are in its content again. Parts
 * of other models are left out. @returns the same object if nothing changes
 */
export function withOwnParts<T extends Record<string, unknown>>(message: T, model: string): T {
  const { reasoning_details: details, reasoning_content: _, content, ...rest } = message
  if (!Array.isArray(details) || !details.some(isPartDetail)) return message
  const parts: PartDetail[] = []
  for (const detail of details) {
    if (!isPartDetail(detail) || detail.model !== model) continue
    const last = parts.at(-1)
    if (last?.index === detail.index) joinPart(last.part, structuredClone(detail.part))
    else parts.push(structuredClone(detail))
  }
  const others: unknown[] = details.filter((detail) => !isPartDetail(detail))
  const left = others.length > 0 ? { reasoning_details: others } : {}
  if (parts.length === 0) {
    const { reasoning_details: __, ...plain } = message
    return { ...plain, ...left } as unknown as T
  }
  const text =
    typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : []
  const written = [...parts.map(({ part }) => part), ...(Array.isArray(content) ? content : text)]
  return { ...rest, ...left, content: written } as unknown as T
}

function isPartDetail(detail: unknown): detail is PartDetail {
  return isObject(detail) && detail.type === partType && isObject(detail.part)
}

/** Returns a content without thinking parts, for a provider that refuses them. */
export function withoutThoughts(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  const spoken: unknown[] = content.filter((part) => !isObject(part) || !isThought(part))
  if (spoken.length === content.length) return content
  return spoken.length === 0 ? null : spoken
}

/** Text fields of parts, which arrive in pieces. */
const growing: ReadonlySet<string> = new Set([
  'text',
  'thinking',
  'reasoning',
  'summary',
  'content',
])

/** Adds a piece to a part that it continues, and changes `target`. */
export function joinPart(target: Record<string, unknown>, piece: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(piece)) {
    const before = target[field]
    // Assigning it would change the object's prototype.
    if (field === '__proto__' || value === null || value === '') continue
    if (Array.isArray(before) && Array.isArray(value))
      for (const item of value) joinItem(before, item)
    else if (typeof before === 'string' && typeof value === 'string' && growing.has(field))
      target[field] = before + value
    else target[field] = value
  }
}

function joinItem(items: unknown[], item: unknown): void {
  const last = items.at(-1)
  const isContinued = isObject(last) && isObject(item) && last.type === item.type
  if (isContinued && !isSignedItem(last)) joinPart(last, item)
  else items.push(item)
}
