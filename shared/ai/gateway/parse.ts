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
 * @param most the maximum number of values in the body
 * @throws PlatformError 400 with the first invalid field
 */
export function parseRequest<T>(schema: z.ZodType<T>, body: unknown, most = maxValues): T {
  if (!isShallow(body, deepest))
    throw new PlatformError('bad-request', `The request is nested more than ${deepest} deep`)
  if (countValues(body, most) > most)
    throw new PlatformError('bad-request', `The request has more than ${most} values`)
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
