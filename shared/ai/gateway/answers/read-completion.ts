import { endOf, readCalls } from './calls.ts'
import { ContentReader, joinPart } from './content.ts'
import { type CallsEnd, readFinish } from './finish.ts'
import {
  type Chunk,
  type ChunkChoice,
  type Completion,
  type CompletionChoice,
  indexOf,
  isObject,
  usageIn,
  withoutStub,
} from './form.ts'
import { checkChoices } from './read-chunk.ts'

/**
 * Converts a whole answer to OpenAI's form. Returns undefined if it has no message.
 * @param model the platform's id of the model that answers
 * @throws UpstreamFailure if the provider reports that the answer failed, or the answer has too many choices or calls
 */
export function readCompletion(body: unknown, model: string): Completion | undefined {
  if (!isObject(body) || !Array.isArray(body.choices)) return undefined
  const rawChoices = body.choices.filter(isObject)
  checkChoices(rawChoices.length)
  const choices = rawChoices.flatMap((raw, place) => readChoice(raw, place, model) ?? [])
  if (choices.length === 0) return undefined
  const usage = usageIn(body, rawChoices)
  return usage === body.usage ? { ...body, choices } : { ...body, choices, usage }
}

const noCalls: CallsEnd = { any: false, cut: false }

function readChoice(
  raw: Record<string, unknown>,
  place: number,
  model: string,
): CompletionChoice | undefined {
  const rawMessage = messageOf(raw)
  if (rawMessage === undefined) return undefined
  const { tool_calls: toolCalls, ...message } = new ContentReader(model, true).read(
    withoutStub(rawMessage),
  )
  const isCut = readFinish(raw, noCalls) === 'length'
  const calls = readCalls(toolCalls, isCut)
  const { delta: _, finishReason: __, ...rest } = raw
  return {
    ...rest,
    index: indexOf(raw.index) ?? place,
    message: {
      ...message,
      role: 'assistant',
      content: message.content ?? null,
      ...(calls && { tool_calls: calls }),
    },
    finish_reason: readFinish(raw, endOf(calls)) ?? (calls === undefined ? 'stop' : 'tool_calls'),
  }
}

function messageOf({ message, delta, text }: Record<string, unknown>) {
  if (isObject(message)) return message
  if (isObject(delta)) return delta
  return typeof text === 'string' ? { content: text } : undefined
}

/** Converts a whole answer to the only chunk of a stream. */
export function asChunk({ choices, ...rest }: Completion): Chunk {
  return {
    ...rest,
    choices: choices.map(({ message, ...choice }) => ({
      ...choice,
      delta: { ...message, ...(Array.isArray(message.tool_calls) && numbered(message.tool_calls)) },
    })),
  }
}

function numbered(calls: readonly unknown[]) {
  return { tool_calls: calls.map((call, index) => ({ ...Object(call), index })) }
}

/** Joins the chunks of a stream into a whole answer. Returns undefined if no chunk has a choice. */
export function joinChunks(chunks: readonly Chunk[], model: string): Completion | undefined {
  const choices = new Map<number, CompletionChoice>()
  const joined: Record<string, unknown> = {}
  for (const { choices: parts, ...rest } of chunks) {
    setAll(joined, { ...rest, usage: rest.usage ?? joined.usage })
    for (const part of parts) choices.set(part.index, joinChoice(choices.get(part.index), part))
  }
  return readCompletion({ ...joined, choices: [...choices.values()].map(unnumbered) }, model)
}

/** Removes the index of tool calls, which only streams have. */
function unnumbered({ message, ...choice }: CompletionChoice): CompletionChoice {
  const { tool_calls: calls, ...words } = message
  if (!Array.isArray(calls)) return { ...choice, message }
  const plain = calls.filter(isObject).map(({ index: _, ...call }) => call)
  return { ...choice, message: { ...words, tool_calls: plain } }
}

/** Changes `target`: a copy for each chunk would take quadratic time. */
function joinChoice(
  target: CompletionChoice | undefined,
  { delta, ...part }: ChunkChoice,
): CompletionChoice {
  const { tool_calls: calls, ...words } = delta
  const message = joinInto(target?.message ?? {}, words)
  if (calls !== undefined) message.tool_calls = joinCalls(message.tool_calls, calls)
  const finish_reason = part.finish_reason ?? target?.finish_reason ?? ''
  const joined = target ?? { index: part.index, message, finish_reason }
  setAll(joined, { ...part, message, finish_reason })
  return joined
}

function setAll(target: Record<string, unknown>, more: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(more))
    if (field !== '__proto__') target[field] = value
}

/** Fields that are not sent in pieces. A provider may repeat them in each chunk. */
const sentOnce: ReadonlySet<string> = new Set(['format', 'id', 'model', 'role', 'type', 'index'])

/** Adds the fields of a piece: texts and lists are continued. @returns `target` */
export function joinInto(
  target: Record<string, unknown>,
  more: Record<string, unknown>,
): Record<string, unknown> {
  for (const [field, value] of Object.entries(more)) {
    // Assigning it would change the object's prototype.
    if (field === '__proto__') continue
    const before = target[field]
    if (value === null || value === undefined) target[field] ??= value
    else if (typeof before === 'string' && typeof value === 'string' && !sentOnce.has(field))
      target[field] = before + value
    else if (Array.isArray(before) && Array.isArray(value))
      for (const one of value) joinItem(before, one)
    else if (isObject(before) && isObject(value))
      (field === 'part' ? joinPart : joinInto)(before, value)
    else target[field] = value
  }
  return target
}

/**
 * Adds an item to a list. A piece with the index and the type of the last item continues it, as in OpenRouter's
 * `reasoning_details` and LiteLLM's `thinking_blocks`, which have no index; a signature ends an item.
 */
function joinItem(items: unknown[], piece: unknown): void {
  const last = items.at(-1)
  const isContinued =
    isObject(last) &&
    isObject(piece) &&
    (typeof piece.index === 'number' || piece.type === 'thinking') &&
    piece.index === last.index &&
    piece.type === last.type &&
    typeof last.signature !== 'string'
  if (!isContinued) return void items.push(piece)
  // LiteLLM repeats the whole text of a block beside its signature: https://github.com/open-webui/open-webui/pull/29860
  const isRepeated = typeof piece.signature === 'string' && piece.thinking === last.thinking
  const { thinking: _, ...rest } = piece
  joinInto(last, isRepeated ? rest : piece)
}

/** Joins parts of tool calls. The chunk reader has numbered the calls from 0, in their order. */
function joinCalls(target: unknown, more: unknown): Record<string, unknown>[] {
  const calls = Array.isArray(target) ? (target as Record<string, unknown>[]) : []
  for (const part of Array.isArray(more) ? more.filter(isObject) : []) {
    const call = calls[Number(part.index)]
    if (call === undefined) calls.push(part)
    else joinInto(call, part)
  }
  return calls
}
