/** One choice of a streamed chunk, in OpenAI's form. */
export interface ChunkChoice extends Record<string, unknown> {
  index: number
  delta: Record<string, unknown>
  finish_reason: string | null
}

/** A chunk of a streamed answer, in OpenAI's form. */
export interface Chunk extends Record<string, unknown> {
  choices: ChunkChoice[]
  usage?: unknown
}

/** One choice of a whole answer, in OpenAI's form. */
export interface CompletionChoice extends Record<string, unknown> {
  index: number
  message: Record<string, unknown>
  finish_reason: string
}

/** A whole answer, in OpenAI's form. */
export interface Completion extends Record<string, unknown> {
  choices: CompletionChoice[]
  usage?: unknown
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns a message or a delta without an empty call in OpenAI's older form, which some gateways add to every end:
 * https://github.com/CangShui/workbuddy-gateway/pull/3. @returns the same object if nothing changes
 */
export function withoutStub(words: Record<string, unknown>): Record<string, unknown> {
  const { function_call: called, ...rest } = words
  return isObject(called) && !called.name && !called.arguments ? rest : words
}

/** Returns an index as a number, or undefined without a valid index. Some providers send it as text. */
export function indexOf(value: unknown): number | undefined {
  const index = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  return typeof index === 'number' && Number.isInteger(index) && index >= 0 ? index : undefined
}

/**
 * Returns the usage of an answer or a chunk, or undefined without usage. Providers send it beside the choices, in
 * `x_groq` (Groq) or in the last choice (Moonshot).
 */
export function usageIn(
  body: Record<string, unknown>,
  choices: readonly Record<string, unknown>[],
): Record<string, unknown> | undefined {
  if (isObject(body.usage)) return body.usage
  if (isObject(body.x_groq) && isObject(body.x_groq.usage)) return body.x_groq.usage
  const inChoice = choices.at(-1)?.usage
  return isObject(inChoice) ? inChoice : undefined
}
