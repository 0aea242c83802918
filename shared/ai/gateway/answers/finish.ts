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

/** The tool calls of a choice: whether there are any, and whether the last one ends inside its arguments. */
export interface CallsEnd {
  any: boolean
  cut: boolean
}

/**
 * Returns OpenAI's finish reason of a choice, or null if it has not ended. Passes on an unknown reason unchanged.
 * Providers send `stop` with tool calls, `tool_calls` without any, and vLLM also `tool_calls` for a call that was cut at
 * the limit: https://github.com/vllm-project/vllm/issues/53269
 * @throws UpstreamFailure if the provider reports that the answer failed
 */
export function readFinish(choice: Record<string, unknown>, calls: CallsEnd): string | null {
  const reason = choice.finish_reason ?? choice.finishReason
  if (typeof reason !== 'string' || reason === '' || reason === 'null') return null
  const lower = reason.toLowerCase()
  // OpenRouter reports some failures only here: https://github.com/OleksandrChekhovskyi/hax/pull/15
  const native = String(choice.native_finish_reason).toLowerCase()
  const failure = [lower, native].find((word) => brokenOff.has(word))
  if (failure !== undefined)
    throw new UpstreamFailure(`the provider ended the answer by ${failure}`)
  const word = words[lower] ?? (lower === 'stop' ? lower : reason)
  if (word !== 'stop' && word !== 'tool_calls') return word
  if (calls.cut) return 'length'
  return calls.any ? 'tool_calls' : 'stop'
}
