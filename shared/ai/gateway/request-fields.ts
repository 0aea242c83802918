/**
 * Fields of OpenAI's request, and of other vendors' versions of it, that add no cost to the tokens. The provider receives
 * them unchanged. Sources, read on 2026-11-26: https://platform.openai.com/docs/api-reference/chat/create,
 * https://openrouter.ai/docs/api-reference/parameters, https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html,
 * https://docs.anthropic.com/en/api/openai-sdk, https://docs.mistral.ai/api, https://docs.perplexity.ai/api-reference,
 * https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md,
 * https://docs.sglang.ai/basic_usage/sampling_params.html, https://docs.fireworks.ai/api-reference/post-chatcompletions,
 * https://console.groq.com/docs/api-reference, https://docs.z.ai/api-reference/llm/chat-completion,
 * https://inference-docs.cerebras.ai/api-reference/chat-completions
 */
export const passedFields = [
  // OpenAI
  'function_call',
  'functions',
  'metadata',
  'prediction',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'store',
  'verbosity',
  // sampling of other vendors
  'do_sample',
  'dry_allowed_length',
  'dry_base',
  'dry_multiplier',
  'dry_penalty_last_n',
  'dry_sequence_breakers',
  'dynatemp_exponent',
  'dynatemp_range',
  'mirostat',
  'mirostat_eta',
  'mirostat_lr',
  'mirostat_target',
  'mirostat_tau',
  'repeat_last_n',
  'samplers',
  'xtc_probability',
  'xtc_threshold',
  'bad_words',
  'ignore_eos',
  'include_stop_str_in_output',
  'length_penalty',
  'min_p',
  'min_tokens',
  'random_seed',
  'repeat_penalty',
  'repetition_penalty',
  'skip_special_tokens',
  'stop_token_ids',
  'top_a',
  'top_k',
  'typical_p',
  // thinking
  'clear_thinking',
  'disable_reasoning',
  'separate_reasoning',
  'stream_reasoning',
  'thinking_token_budget',
  'chat_template_kwargs',
  'enable_thinking',
  'include_reasoning',
  'prompt_mode',
  'reasoning',
  'reasoning_format',
  'reasoning_split',
  'thinking',
  'thinking_budget',
  // the format of the answer
  'add_generation_prompt',
  'continue_final_message',
  'disable_tool_validation',
  'ebnf',
  'regex',
  'return_token_ids',
  'spaces_between_special_tokens',
  'tool_stream',
  'grammar',
  'guided_choice',
  'guided_grammar',
  'guided_json',
  'guided_regex',
  'json_schema',
  'structured_outputs',
  // input in addition to the messages
  'citation_options',
  'documents',
  'return_images',
  'return_related_questions',
  'search_after_date_filter',
  'search_before_date_filter',
  'search_domain_filter',
  'search_mode',
  'search_recency_filter',
  // caches, sessions and other free services of the provider
  'cache_prompt',
  'cache_salt',
  'context_length_exceeded_behavior',
  'prompt_truncate_len',
  'request_id',
  'truncate_prompt_tokens',
  'cache_control',
  'safe_prompt',
  'session_id',
  'transforms',
  'usage',
] as const

/** The fields that are part of the prompt. */
export const promptFields = [
  'chat_template_kwargs',
  'documents',
  'functions',
  'guided_json',
  'json_schema',
  'prediction',
  'structured_outputs',
] as const satisfies readonly (typeof passedFields)[number][]

const otherModels = 'the platform selects the provider; set `model` instead'
const search = 'providers bill searches in addition to tokens'
const tools = 'providers bill their own tools in addition to tokens; define functions in `tools`'
const media = 'answers are text; audio and images have other prices'
const candidates = 'discarded answers cost tokens; use `n`'

/** Fields that add uncounted cost, with the reason for the refusal. */
export const refusedFields = {
  models: otherModels,
  route: otherModels,
  provider: otherModels,
  preset: otherModels,
  plugins: tools,
  mcp_servers: tools,
  container: tools,
  web_search_options: search,
  search_parameters: search,
  search_options: search,
  enable_search: search,
  audio: media,
  image_config: media,
  best_of: candidates,
  use_beam_search: candidates,
  deferred: 'answers are sent at once',
} as const

/** Returns whether a value is empty. Clients send empty values for fields that they do not use. */
export function asksForNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  )
}
