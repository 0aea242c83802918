import * as z from 'zod'
import { PlatformError } from '#shared/platform/errors.ts'
import { countValues, isShallow } from '#shared/platform/json.ts'
import { once } from '#shared/platform/once.ts'

/** The maximum accepted limit. Models write fewer tokens in one answer. */
export const maxAnswerTokens = 1_000_000

/** The maximum nesting. Schemas of tools are less deep, and much deeper values would overflow the stack. */
const deepest = 64

/**
 * The maximum number of values. The schema reports every invalid value, which takes a thousand times its memory.
 * A conversation of 20,000 messages has fewer values.
 */
const maxValues = 100_000

/** The maximum length of an error's message and parameter, which can repeat names and values of the request. */
const longestMessage = 500

/**
 * @param counted the part of the body whose values are counted
 * @throws PlatformError 400 with the first invalid field
 */
export function parseRequest<T>(schema: z.ZodType<T>, body: unknown, counted = body): T {
  if (!isShallow(body, deepest))
    throw new PlatformError('bad-request', `The request is nested more than ${deepest} deep`)
  if (countValues(counted, maxValues) > maxValues)
    throw new PlatformError('bad-request', `The request has more than ${maxValues} values`)
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const { path, message } = nearest(parsed.error.issues[0])
  const param = path.join('.')
  // Messages that are specific to a field begin with its name.
  const named = message.startsWith(String(path.at(-1) ?? ''))
  throw invalid(param, named ? message : `${param}: ${message}`)
}

/** The tier of a request: OpenAI's field, which other vendors share. */
export function serviceTier() {
  return z
    .enum(['auto', 'default'], {
      error: 'service_tier must be auto or default: other tiers have other prices',
    })
    .nullish()
}

/**
 * Returns the error 400 for an invalid field.
 * @param param the path of the field
 */
export function invalid(param: string, message: string): PlatformError {
  return new PlatformError('bad-request', message.slice(0, longestMessage), {
    details: { param: param.slice(0, longestMessage) },
  })
}

/** Returns the issue itself. For a field with several possible types, the issue of the best match. */
function nearest(issue: z.core.$ZodIssue | undefined): { path: PropertyKey[]; message: string } {
  if (issue === undefined) return { path: [], message: 'Bad request' }
  if (issue.code !== 'invalid_union') return issue
  const faults = issue.errors.map(([first]) => nearest(first))
  const deepest = faults.reduce(
    (best, fault) => (fault.path.length > best.path.length ? fault : best),
    { path: [] as PropertyKey[], message: issue.message },
  )
  return { path: [...issue.path, ...deepest.path], message: deepest.message }
}

/**
 * Refuses fields that add uncounted cost.
 * @param refused the fields, with the reason for the refusal
 * @throws PlatformError 400 that names the field
 */
export function refuseFields(
  body: Readonly<Record<string, unknown>>,
  refused: Readonly<Record<string, string>>,
): void {
  for (const [name, reason] of Object.entries(refused))
    if (!asksForNothing(body[name])) throw invalid(name, `${name}: ${reason}`)
}

/**
 * Returns a function that names the fields of a body that are neither sent to a provider nor refused.
 * @param known the names of all other fields
 */
export function ignoredFieldsOf(
  known: () => readonly string[],
): (body: Readonly<Record<string, unknown>>) => string[] {
  const names = once(() => new Set(known()))
  return (body) => Object.keys(body).filter((name) => !names().has(name) && body[name] !== null)
}

/** Returns whether a value is empty. Clients send empty values for fields that they do not use. */
function asksForNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    (Array.isArray(value) && value.length === 0)
  )
}

/**
 * The maximum number of log probabilities in a whole answer. Each has about eight values and 70 bytes, and an answer of
 * more than 4,000,000 values or 64 MB cannot be read, although its provider bills it.
 */
const maxLogprobs = 500_000

/**
 * Refuses a request whose whole answer could have too many log probabilities.
 * @param tokens the maximum number of tokens in all choices
 * @throws PlatformError 400
 */
export function requireReadable(
  {
    stream,
    top_logprobs,
  }: { stream?: boolean | null | undefined; top_logprobs?: number | null | undefined },
  tokens: number,
): void {
  if (stream === true || !top_logprobs || tokens * (top_logprobs + 1) <= maxLogprobs) return
  throw invalid(
    'top_logprobs',
    `top_logprobs: the answer could have more than ${maxLogprobs} log probabilities; request a stream, or fewer tokens or choices`,
  )
}
