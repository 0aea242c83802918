import { isObject } from '../../answers/form.ts'
import type { Units } from '../../usage.ts'
import { noTokens } from '../passed-on.ts'

interface RerankUsage {
  /** The tokens in OpenAI's form. Undefined if the provider counts neither tokens nor searches. */
  usage: Record<string, unknown> | undefined
  units: Units | undefined
}

/**
 * Returns the usage of an answer: searches in the forms of Cohere (`meta.billed_units`) and OpenRouter (`usage`), and
 * tokens in the form of Jina, Voyage and OpenRouter (`usage.total_tokens`).
 */
export function readRerankUsage({ meta, usage }: Record<string, unknown>): RerankUsage {
  const counted = isObject(usage) ? usage : {}
  const billed = isObject(meta) && isObject(meta.billed_units) ? meta.billed_units : {}
  const searches = [billed.search_units, counted.search_units].find(isCount)
  const tokens = [counted.total_tokens, counted.prompt_tokens].find(isCount)
  const isCounted = tokens !== undefined || searches !== undefined
  return {
    usage: isCounted
      ? { ...counted, ...noTokens, prompt_tokens: tokens ?? 0, total_tokens: tokens ?? 0 }
      : undefined,
    units: searches === undefined ? undefined : { search: searches },
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1_000_000_000
}
