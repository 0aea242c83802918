import { UpstreamFailure } from '../providers/failure.ts'
import { StreamedCalls } from './calls.ts'
import { ContentReader } from './content.ts'
import { readFinish } from './finish.ts'
import { type Chunk, type ChunkChoice, indexOf, isObject, usageIn, withoutStub } from './form.ts'

/**
 * The maximum number of choices of an answer: OpenAI's maximum for `n`. A request of the gateway asks for 16 at most.
 */
const maxChoices = 128

/** @throws UpstreamFailure if an answer has more than `maxChoices` */
export function checkChoices(count: number): void {
  if (count > maxChoices)
    throw new UpstreamFailure(`the answer has more than ${maxChoices} choices`)
}

/** Reads the chunks of one stream in any provider's form. */
export interface ChunkReader {
  /**
   * Converts a chunk to OpenAI's form. Returns undefined without choices and usage, such as for a heartbeat.
   * @throws UpstreamFailure if the provider reports that the answer failed, or the answer has too many choices or calls
   */
  read(body: unknown): Chunk | undefined
  /** True if every choice has its finish reason: the answer is complete. */
  readonly finished: boolean
  /** Returns the missing finish reasons of a complete stream, or undefined if none is missing. */
  end(): Chunk | undefined
}

interface Choice {
  content: ContentReader
  calls: StreamedCalls
  finished: boolean
}

/** @param model the platform's id of the model that answers */
export function createChunkReader(model: string): ChunkReader {
  const started = new Map<number, Choice>()

  function readChoice(raw: Record<string, unknown>, place: number): ChunkChoice {
    const index = indexOf(raw.index) ?? place
    const known = started.get(index)
    const choice = known ?? {
      content: new ContentReader(model, false),
      calls: new StreamedCalls(),
      finished: false,
    }
    started.set(index, choice)
    checkChoices(started.size)
    // A whole message in a stream is a complete answer. If deltas were sent before, it repeats them.
    const rawDelta = isObject(raw.delta) ? raw.delta : known === undefined ? messageOf(raw) : {}
    let delta = withCalls(choice.content.read(withoutStub(rawDelta)), choice.calls)
    if (known === undefined && (typeof delta.role !== 'string' || delta.role === ''))
      delta = { ...delta, role: 'assistant' }
    const finish = readFinish(raw, choice.calls)
    if (finish !== null) {
      choice.finished = true
      // A call that was cut before its arguments must not look complete.
      if (finish !== 'length') delta = withRest(delta, choice.calls)
    }
    const isSame =
      raw.delta === delta &&
      raw.index === index &&
      raw.finish_reason === finish &&
      raw.message === undefined
    if (isSame) return raw as ChunkChoice
    // OpenAI's client would treat a message as the answer so far.
    const { finishReason: _, message: __, ...rest } = raw
    return { ...rest, index, delta, finish_reason: finish }
  }

  return {
    read(body) {
      if (!isObject(body)) return undefined
      const rawChoices = Array.isArray(body.choices) ? body.choices.filter(isObject) : []
      const usage = usageIn(body, rawChoices)
      if (rawChoices.length === 0 && usage === undefined) return undefined
      const choices = rawChoices.map(readChoice)
      return usage === body.usage ? { ...body, choices } : { ...body, choices, usage }
    },
    get finished() {
      return started.size > 0 && [...started.values()].every((choice) => choice.finished)
    },
    end() {
      const choices = [...started]
        .filter(([, { finished }]) => !finished)
        .map(([index, { calls }]) => ({
          index,
          delta: calls.cut ? {} : withRest({}, calls),
          finish_reason: readFinish({ finish_reason: 'stop' }, calls),
        }))
      return choices.length === 0 ? undefined : { choices }
    },
  }
}

function messageOf({ message, text }: Record<string, unknown>): Record<string, unknown> {
  if (isObject(message)) return message
  return typeof text === 'string' ? { content: text } : {}
}

function withCalls(delta: Record<string, unknown>, calls: StreamedCalls): Record<string, unknown> {
  const { tool_calls: toolCalls, ...rest } = delta
  if (toolCalls === undefined) return delta
  const parts = calls.read(toolCalls)
  if (parts === undefined) return rest
  const isSame = Array.isArray(toolCalls) && parts.every((part, i) => part === toolCalls[i])
  return isSame && parts.length === toolCalls.length ? delta : { ...rest, tool_calls: parts }
}

function withRest(delta: Record<string, unknown>, calls: StreamedCalls): Record<string, unknown> {
  const rest = calls.rest()
  if (rest.length === 0) return delta
  const parts = Array.isArray(delta.tool_calls) ? (delta.tool_calls as unknown[]) : []
  return { ...delta, tool_calls: [...parts, ...rest] }
}
