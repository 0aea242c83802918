import { estimateTokens } from '../../tokens.ts'
import type { Size } from '../../usage.ts'
import type { SpeechRequest } from './parse.ts'

/** The models that are billed by tokens. Other models are billed by characters. */
const billedByTokens = /(?:^|\/)gpt-/

/**
 * The audio tokens of a second: OpenAI's price of a million tokens is 12 USD, and its estimate of a minute 0.015 USD:
 * https://developers.openai.com/api/docs/models/gpt-4o-mini-tts.
 */
const tokensPerSecond = 21

/** Slower than people and models speak. */
const charactersPerSecond = 10

/** Returns the maximum usage of a request on a model, by its routing id. */
export function sizeOfSpeech(request: SpeechRequest, model: string): Size {
  const { input, instructions, speed } = request
  const units = { character: input.length }
  if (!billedByTokens.test(model)) return { inputTokens: 0, outputTokens: 0, units }
  const seconds = input.length / charactersPerSecond / (speed ?? 1)
  return {
    inputTokens: estimateTokens(input + (instructions ?? '')),
    outputTokens: Math.ceil(seconds * tokensPerSecond),
    units,
  }
}
