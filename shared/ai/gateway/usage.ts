/** Numbers by unit: images, seconds of audio, characters, searches. */
export type Units = Readonly<Record<string, number>>

/** The usage of a call, as its provider counted it. */
export interface TokenUsage {
  /** All prompt tokens, including those that were read from a cache or written to it. */
  inputTokens: number
  /** All output tokens, including reasoning. */
  outputTokens: number
  cacheReadTokens?: number
  cacheWriteTokens?: number
  /** The part of `cacheWriteTokens` that is cached for an hour, which costs more. */
  cacheWrite1hTokens?: number
  reasoningTokens?: number
  /** The cost that the provider reports, if any. */
  costUsd?: number
  /** The counted share of the answer, 0 to 1; set if the answer exceeded its limit. */
  kept?: number
  /** The units other than tokens, in families whose models can be billed by them. */
  units?: Units
}

/** The maximum usage of a call. */
export type Size = Pick<TokenUsage, 'inputTokens' | 'outputTokens' | 'units'>

/** The counts of a provider. Each of them can be missing. */
export interface ReportedUsage extends Partial<Omit<TokenUsage, 'kept' | 'units'>> {
  totalTokens?: number
}

type Fields = Readonly<Record<string, unknown>>

/** More tokens than any call uses. A higher count is a provider's error. */
const maxTokens = 1_000_000_000

/** More USD than any call costs. A higher cost is a provider's error. */
const maxUsd = 1_000_000

/**
 * The `usage` of an answer or of a chunk, in the forms of OpenAI (chat completions and responses), Anthropic, DeepSeek,
 * Moonshot, xAI and Gemini. Each count is read on its own. Returns undefined without a valid count.
 */
export function readUsage(usage: unknown): ReportedUsage | undefined {
  if (typeof usage !== 'object' || usage === null) return undefined
  const reported = usage as Fields
  const cache = cacheCounts(reported)
  const reasoning = firstCount(
    fieldsOf(reported['completion_tokens_details'])['reasoning_tokens'],
    fieldsOf(reported['output_tokens_details'])['reasoning_tokens'],
    reported['reasoning_tokens'],
    reported['thoughtsTokenCount'],
  )
  const total = firstCount(reported['total_tokens'], reported['totalTokenCount'])
  const counted = { ...cache, ...ends(reported, { cache, reasoning, total }) }
  const cost = reportedCost(reported)
  const found = {
    ...counted,
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
    ...(total !== undefined && { totalTokens: total }),
    ...(cost !== undefined && { costUsd: cost }),
  }
  return Object.keys(found).length === 0 ? undefined : found
}

interface CacheCounts {
  cacheReadTokens?: number
  cacheWriteTokens?: number
  cacheWrite1hTokens?: number
}

function cacheCounts(reported: Fields): CacheCounts {
  const prompt = fieldsOf(reported['prompt_tokens_details'] ?? reported['input_tokens_details'])
  // LiteLLM has Anthropic's counts by lifetime within the details of the prompt.
  const creation = fieldsOf(reported['cache_creation'] ?? prompt['cache_creation_token_details'])
  const read = firstCount(
    prompt['cached_tokens'],
    reported['prompt_cache_hit_tokens'],
    reported['cached_tokens'],
    reported['cache_read_input_tokens'],
    reported['cachedContentTokenCount'],
    reported['cached_content_token_count'],
  )
  const shortLived = firstCount(creation['ephemeral_5m_input_tokens'])
  const longLived = firstCount(creation['ephemeral_1h_input_tokens'])
  const write = firstCount(
    reported['cache_creation_input_tokens'],
    prompt['cache_write_tokens'],
    prompt['cache_creation_tokens'],
    shortLived === undefined && longLived === undefined
      ? undefined
      : (shortLived ?? 0) + (longLived ?? 0),
  )
  return {
    ...(read !== undefined && { cacheReadTokens: read }),
    ...(write !== undefined && { cacheWriteTokens: write }),
    ...(longLived !== undefined && { cacheWrite1hTokens: longLived }),
  }
}

/** Returns prompt and output tokens. A count that only the total includes is added to the prompt or the output. */
function ends(
  reported: Fields,
  {
    cache,
    reasoning = 0,
    total,
  }: { cache: CacheCounts; reasoning: number | undefined; total: number | undefined },
): { inputTokens?: number; outputTokens?: number } {
  const cached = (cache.cacheReadTokens ?? 0) + (cache.cacheWriteTokens ?? 0)
  const openAi = firstCount(reported['prompt_tokens'])
  // Anthropic's own names: cached tokens are not part of `input_tokens`.
  const beside =
    openAi === undefined &&
    (reported['cache_read_input_tokens'] !== undefined ||
      reported['cache_creation_input_tokens'] !== undefined)
  let input = openAi ?? firstCount(reported['input_tokens'], reported['promptTokenCount'])
  let output = firstCount(
    reported['completion_tokens'],
    reported['output_tokens'],
    reported['candidatesTokenCount'],
  )
  if (input !== undefined && (beside || cached > input)) input += cached
  if (input === undefined && total !== undefined && output !== undefined)
    input = Math.max(0, total - output)
  if (output === undefined && total !== undefined && input !== undefined)
    output = Math.max(0, total - input)
  if (input !== undefined && output !== undefined) {
    const surplus = total === undefined ? 0 : total - input - output
    if (surplus > 0 && surplus === cached && surplus !== reasoning) input += surplus
    // xAI and Gemini count reasoning separately from the completion.
    else if (surplus > 0) output += surplus
  }
  if (output !== undefined && total === undefined && reasoning > output) output += reasoning
  return {
    ...(input !== undefined && { inputTokens: input }),
    ...(output !== undefined && { outputTokens: output }),
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function firstCount(...values: readonly unknown[]): number | undefined {
  return values.find(
    (value): value is number =>
      Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maxTokens,
  )
}

/**
 * Returns the cost that a provider reports, in USD. Perplexity's object includes the fee of the request
 * (https://docs.perplexity.ai/api-reference); xAI counts in ticks (https://docs.x.ai/developers/cost-tracking); DeepInfra
 * has a name of its own.
 */
function reportedCost({ cost, cost_in_usd_ticks: ticks, estimated_cost: estimated }: Fields) {
  return (
    costOf(cost) ??
    costOf(fieldsOf(cost)['total_cost']) ??
    costOf(typeof ticks === 'number' ? ticks / ticksPerUsd : undefined) ??
    costOf(estimated)
  )
}

const ticksPerUsd = 10_000_000_000

/** USD. Some providers send a decimal string. */
function costOf(cost: unknown): number | undefined {
  const isText = typeof cost === 'string' && /^\d{1,9}(\.\d{1,20})?$/.test(cost)
  const usd = typeof cost === 'number' ? cost : isText ? Number(cost) : undefined
  if (usd === undefined || !(usd >= 0 && usd <= maxUsd)) return undefined
  return Number(usd.toFixed(12))
}

/** Returns the `usage` for the caller: the provider's if it has valid OpenAI counts, otherwise with our counts. */
export function usageFor(reported: unknown, usage: TokenUsage): object {
  const fields = fieldsOf(reported)
  const complete =
    firstCount(fields['prompt_tokens']) !== undefined &&
    firstCount(fields['completion_tokens']) !== undefined &&
    firstCount(fields['total_tokens']) !== undefined
  return complete && usage.kept === undefined ? fields : { ...fields, ...writeUsage(usage) }
}

/** Writes the usage in OpenAI's format. */
export function writeUsage({ inputTokens, outputTokens }: TokenUsage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
}
