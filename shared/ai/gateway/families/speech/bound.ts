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

/** Slower than people and models speak: the seconds of a letter, and of a character that is read as a syllable or word. */
const secondsOfLetter = 0.1
const secondsOfWord = 0.4

/** Digits, symbols such as `%`, and letters without upper case: most of these are syllables, as in Chinese. */
const readAsWord = /[\p{Nd}\p{S}\p{Lo}]/gu

/** Returns the maximum usage of a request on a model, by its routing id. */
export function sizeOfSpeech(request: SpeechRequest, model: string): Size {
  const { input, instructions, speed } = request
  const units = { character: input.length }
  if (!billedByTokens.test(model)) return { inputTokens: 0, outputTokens: 0, units }
  const words = input.match(readAsWord)?.length ?? 0
  const seconds =
    (input.length * secondsOfLetter + words * (secondsOfWord - secondsOfLetter)) / (speed ?? 1)
  return {
    inputTokens: estimateTokens(input + (instructions ?? '')),
    outputTokens: Math.ceil(seconds * tokensPerSecond),
    units,
  }
}
