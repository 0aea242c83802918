import { UpstreamFailure } from '../providers/failure.ts'

/** The finish reasons of other vendors, with OpenAI's equivalents. */
const words: Readonly<Record<string, string>> = {
  complete: 'stop',
  completed: 'stop',
  end: 'stop',
  end_turn: 'stop',
  eos: 'stop',
  eos_token: 'stop',
  finish: 'stop',
  finished: 'stop',
  stop_sequence: 'stop',
  length_limit: 'length',
  max_length: 'length',
  max_output_tokens: 'length',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  model_length: 'length',
  tool_call: 'tool_calls',
  tool_use: 'tool_calls',
  blocklist: 'content_filter',
  content_filtered: 'content_filter',
  prohibited_content: 'content_filter',
  recitation: 'content_filter',
  refusal: 'content_filter',
  safety: 'content_filter',
  sensitive: 'content_filter',
}

/** The finish reasons of OpenRouter, Z.ai, DeepSeek and vLLM for an answer that failed. */
const brokenOff: ReadonlySet<string> = new Set([
  'abort',
  'error',
  'insufficient_system_resource',
  'network_error',
])

/**
 * Returns OpenAI's finish reason of a choice, or null if it has not ended. Passes on an unknown reason unchanged.
 * @param calls true if the choice has tool calls; some providers send `stop` with them
 * @throws UpstreamFailure if the provider reports that the answer failed
 */
export function readFinish(reason: unknown, calls: boolean): string | null {
  if (typeof reason !== 'string' || reason === '' || reason === 'null') return null
  const lower = reason.toLowerCase()
  if (brokenOff.has(lower)) throw new UpstreamFailure(`the provider ended the answer by ${lower}`)
  const word = words[lower] ?? (lower === 'stop' ? lower : reason)
  return word === 'stop' && calls ? 'tool_calls' : word
}
