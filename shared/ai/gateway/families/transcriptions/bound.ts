import { estimateTokens } from '../../tokens.ts'
import type { Size } from '../../usage.ts'
import type { TranscriptionRequest } from './parse.ts'

/** The lowest bit rate of speech in use is 6 kbit/s: https://wiki.xiph.org/Opus_Recommended_Settings. */
const bytesPerSecond = 750

/** The models that are billed by tokens. Other models are billed by seconds. */
const billedByTokens = /(?:^|\/)gpt-/

/** OpenAI's figures: a token has 100 ms of audio, people speak fewer than 5 tokens a second, and the context has 16,000 tokens. */
const audioTokensPerSecond = 10
const textTokensPerSecond = 5
const contextTokens = 16_000

/** Returns the maximum usage of a request on a model, by its routing id. */
export function sizeOfTranscription(
  { audio, prompt }: Pick<TranscriptionRequest, 'audio' | 'prompt'>,
  model: string,
): Size {
  const seconds = Math.ceil(audio.size / bytesPerSecond)
  const units = { second: seconds }
  if (!billedByTokens.test(model)) return { inputTokens: 0, outputTokens: 0, units }
  const inputTokens = seconds * audioTokensPerSecond + estimateTokens(prompt)
  return {
    inputTokens: Math.min(inputTokens, contextTokens),
    outputTokens: Math.min(seconds * textTokensPerSecond, contextTokens),
    units,
  }
}
