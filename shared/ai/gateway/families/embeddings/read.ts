import { isObject } from '../../answers/form.ts'

/**
 * Returns an answer without its embeddings, as JSON. They take almost all of its text, and the gateway does not need
 * them: parsing the vectors of 2,048 inputs takes about a second. The answer contains no other list with content, so
 * the list of embeddings ends at the last bracket.
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
