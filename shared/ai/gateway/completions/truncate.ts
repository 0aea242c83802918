import type { Chunk, Completion } from '../answers/form.ts'
import { readUsage, type TokenUsage } from '../usage.ts'
import type { AnswerLimit } from './limit.ts'
import { outputText } from './output.ts'

/**
 * Estimated bytes of a token: four if a provider sends each token as a piece; otherwise at most sixteen, the average
 * over a text in any language with some tolerance. Some proxies split tokens into smaller pieces, which do not count as
 * tokens.
 */
const bytesOfPiece = 4
const bytesOfLongToken = 16
const bytesOfLongestWords = 64

/** The estimated number of characters per token of the text up to the limit. */
const charactersPerToken = 4

/** Ends an answer at its limit if the provider does not. */
export interface Truncation {
  /** Returns the chunk itself, or a copy up to the limit. A choice that is cut ends with `length`. */
  take(chunk: Chunk): Chunk
  /** True if every choice has reached the limit. The rest of the stream is not read. */
  readonly over: boolean
}

interface ChoiceState {
  pieces: number
  bytes: number
  characters: number
  ended: boolean
  cut: boolean
}

/** @param choices the number of requested answers */
export function truncateAt({ tokens, isSent }: AnswerLimit, choices: number): Truncation {
  const choiceStates = new Map<number, ChoiceState>()
  let over = false

  function takeChoice(choice: Chunk['choices'][number], all: boolean) {
    const index = typeof choice['index'] === 'number' ? choice['index'] : 0
    let state = choiceStates.get(index)
    if (state === undefined)
      choiceStates.set(
        index,
        (state = { pieces: 0, bytes: 0, characters: 0, ended: false, cut: false }),
      )
    if (state.cut) return []
    state.ended ||= typeof choice.finish_reason === 'string'
    const text = outputText(choice.delta)
    if (text === '' && !all) return [choice]
    const room = tokens * charactersPerToken - state.characters
    state.pieces += text === '' ? 0 : 1
    state.bytes += Buffer.byteLength(text)
    state.characters += text.length
    if ((!all || state.ended) && minTokens(state) <= tokens) return [choice]
    state.cut = true
    const { content } = (choice.delta ?? {}) as { content?: unknown }
    const rest = typeof content === 'string' && room > 0 ? { content: content.slice(0, room) } : {}
    return [{ ...choice, delta: rest, finish_reason: 'length' }]
  }

  return {
    take(chunk) {
      if (!isSent || over) return chunk
      const counted = readUsage(chunk.usage)?.outputTokens
      const all = counted !== undefined && counted > tokens * choices
      const truncated = chunk.choices.flatMap((choice) => takeChoice(choice, all))
      const states = [...choiceStates.values()]
      over = states.length >= choices && states.every((state) => state.cut || state.ended)
      over &&= states.some((state) => state.cut)
      const isSame =
        truncated.length === chunk.choices.length &&
        truncated.every((choice, i) => choice === chunk.choices[i])
      return isSame ? chunk : { ...chunk, choices: truncated }
    },
    get over() {
      return over
    },
  }
}

/** Returns the minimum number of tokens that the received text can have. */
function minTokens({ pieces, bytes }: ChoiceState): number {
  return Math.max(Math.min(pieces, bytes / bytesOfPiece), minTokensOf(bytes))
}

function minTokensOf(bytes: number): number {
  return (bytes - bytesOfLongestWords) / bytesOfLongToken
}

/** Returns a whole answer up to its limit, or the same object if it fits. @param usage the counted tokens */
export function truncateWhole(
  answer: Completion,
  { tokens, isSent }: AnswerLimit,
  { kept }: TokenUsage,
): Completion {
  if (!isSent) return answer
  const choices = answer.choices.map((choice) => {
    const bytes = Buffer.byteLength(outputText(choice.message))
    if (kept === undefined && minTokensOf(bytes) <= tokens) return choice
    const { content } = choice.message
    if (typeof content !== 'string') return { ...choice, finish_reason: 'length' }
    const room =
      kept === undefined ? tokens * charactersPerToken : Math.floor(content.length * kept)
    const message = { ...choice.message, content: content.slice(0, room) }
    return { ...choice, message, finish_reason: 'length' }
  })
  return choices.every((choice, i) => choice === answer.choices[i])
    ? answer
    : { ...answer, choices }
}
