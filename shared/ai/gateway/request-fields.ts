/**
 * Fields of OpenAI's request, and of other vendors' forms of it, that cost nothing beside the tokens. They go on to the
 * provider as they are. Sources, read on 2026-11-26: https://platform.openai.com/docs/api-reference/chat/create,
 * https://openrouter.ai/docs/api-reference/parameters, https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html,
 * https://docs.anthropic.com/en/api/openai-sdk, https://docs.mistral.ai/api, https://docs.perplexity.ai/api-reference
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
  'chat_template_kwargs',
  'enable_thinking',
  'include_reasoning',
  'prompt_mode',
  'reasoning',
  'reasoning_format',
  'reasoning_split',
  'thinking',
  'thinking_budget',
  // forms of the answer
  'grammar',
  'guided_choice',
  'guided_grammar',
  'guided_json',
  'guided_regex',
  'json_schema',
  'structured_outputs',
  // input beside the messages
  'citation_options',
  'documents',
  'return_images',
  'return_related_questions',
  'search_after_date_filter',
  'search_before_date_filter',
  'search_domain_filter',
  'search_mode',
  'search_recency_filter',
  // caches, sessions and other services of the provider's that are free
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

const otherModels = 'the platform chooses who serves a model; name one in `model`'
const search = 'what a provider searches it bills beside the tokens, which is not counted'
const tools = 'what a provider does by itself it bills beside the tokens; name functions in `tools`'
const media = 'only text is answered: audio and pictures have prices of their own'
const candidates = 'answers that are thrown away cost tokens that are not counted; use `n`'

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
  deferred: 'an answer is given at once',
} as const

/** True for an empty value. Clients send such values for fields that they do not use. */
export function asksForNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  )
}
