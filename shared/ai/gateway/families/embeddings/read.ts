import { isObject } from '../../answers/form.ts'

/**
 * Returns an answer without its embeddings, as JSON. They take almost all of its text: to parse and write 2,048 vectors of
 * 1,536 dimensions takes 0.8 seconds. The list of embeddings is the only list with content, so it ends at the last
 * bracket.
 * @returns the same text without a list of embeddings
 */
export function withoutEmbeddings(text: string): string {
  const begin = /^[^[\]]{0,2000}?"data"\s*:\s*\[/.exec(text)?.[0].length
  const end = text.lastIndexOf(']')
  return begin === undefined || end < begin ? text : text.slice(0, begin) + text.slice(end)
}

/** Returns the usage of an answer in OpenAI's form. Some providers count only `total_tokens`. */
export function readEmbeddingsUsage(usage: unknown): Record<string, unknown> | undefined {
  if (!isObject(usage)) return undefined
  const { prompt_tokens = usage.total_tokens } = usage
  return { ...usage, prompt_tokens, completion_tokens: 0 }
}
