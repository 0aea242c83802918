import type { UpstreamFailure } from './failure.ts'
import type { LimitField, Provider, Route } from './provider.ts'

/**
 * Hosts that reject a request with both fields, with the field that all of their models support. Sources:
 * OpenAI's API reference, Create chat completion, `max_tokens` (Azure has the same API); Google's OpenAI compatibility
 * ("max_tokens and max_completion_tokens cannot both be set"); Mistral's API reference, whose API rejects unknown
 * fields.
 */
const oneField: readonly (readonly [RegExp, LimitField])[] = [
  [/^(api\.openai\.com|[^.]+\.openai\.azure\.com)$/, 'max_completion_tokens'],
  [/^generativelanguage\.googleapis\.com$/, 'max_completion_tokens'],
  [/^api\.mistral\.ai$/, 'max_tokens'],
]

/** The behavior of one model at one address, as seen in earlier calls. */
interface Learned {
  refused: Set<LimitField>
  /** True if the model exceeded its limit. */
  ranOn: boolean
  /** The highest limit that the model accepts. */
  most: number
}

const learned = new Map<string, Learned>()

/** The maximum number of models to remember. The oldest one is dropped first. */
const maxLearned = 1000

/**
 * Returns the fields that carry the limit of an answer. Many endpoints silently ignore an unknown field, so both fields
 * are sent unless the host is known to reject both.
 */
function fieldsOfLimit(route: Route, refused = learnedOf(route)?.refused): LimitField[] {
  return allowedFields(route.provider).filter((field) => refused?.has(field) !== true)
}

function allowedFields({ baseUrl, limitField }: Provider): readonly LimitField[] {
  if (limitField !== undefined && limitField !== 'both') return [limitField]
  const host = URL.parse(baseUrl)?.hostname ?? ''
  const known = limitField === 'both' ? undefined : oneField.find(([name]) => name.test(host))
  return known === undefined ? ['max_tokens', 'max_completion_tokens'] : [known[1]]
}

/**
 * True if a model has exceeded its limit before. For such a model only streams are requested, because a stream can be
 * ended at the limit.
 */
export function runsOn(route: Route): boolean {
  return learnedOf(route)?.ranOn === true || fieldsOfLimit(route).length === 0
}

/** Records that a model has exceeded its limit. */
export function recordRunOn(route: Route): void {
  learn(route).ranOn = true
}

/** The limits of a model that one call has found. */
export interface LimitTrial {
  refused: Set<LimitField>
  /** The highest limit to try. */
  most: number
  /** True if `most` depends on the length of this call's prompt. */
  isOfPrompt: boolean
}

/** Starts the trial of one call, with the limits that earlier calls have found. */
export function tryLimit(route: Route): LimitTrial {
  const { refused, most = Infinity } = learnedOf(route) ?? {}
  return { refused: new Set(refused), most, isOfPrompt: false }
}

/** Returns the request fields for the limit that the model has not refused. */
export function fieldsToTry(route: Route, { refused }: LimitTrial): LimitField[] {
  return fieldsOfLimit(route, refused)
}

/**
 * Stores the limits that a call has found for later calls, after the model has accepted them. An error alone proves
 * nothing: its text can repeat the request.
 */
export function recordAccepted(route: Route, { refused, most, isOfPrompt }: LimitTrial): void {
  const known = learnedOf(route)
  const isNew = [...refused].some((field) => known?.refused.has(field) !== true)
  const isLower = !isOfPrompt && most < (known?.most ?? Infinity)
  if (!isNew && !isLower) return
  const learns = learn(route)
  for (const field of refused) learns.refused.add(field)
  if (isLower) learns.most = most
}

const namesField = /\bmax_(?:completion_)?tokens\b/
const limitError =
  /too (?:large|high|many|big)|less than or equal|at most|exceed|maximum|greater than|context length|<=?|>/i

const contextError = /context (?:length|window)/i

/** The lowest limit of any model. A smaller number in an error is not a limit. */
const minLimit = 1024

interface SentLimit {
  fields: readonly LimitField[]
  tokens: number
  /** True if the caller set the limit. It is never replaced. */
  fromCaller: boolean
}

/**
 * Records a refusal of the limit: the model does not accept a field, or the platform's default limit is too high for
 * it.
 * @returns true if the request should be sent to the same model again
 */
export function recordRefusal(
  trial: LimitTrial,
  failure: UpstreamFailure,
  sent: SentLimit,
): boolean {
  const { status, message, body: text = message } = failure
  if ((status !== 400 && status !== 422) || sent.fields.length === 0) return false
  const [first] = namesField.exec(text) ?? []
  if (limitError.test(text) && (first !== undefined || contextError.test(text)))
    return !sent.fromCaller && recordMost(trial, text, sent.tokens)
  if (first === undefined) return false
  const refused = sent.fields.length === 1 ? sent.fields[0] : (first as LimitField)
  if (refused === undefined || !sent.fields.includes(refused)) return false
  trial.refused.add(refused)
  return true
}

function recordMost(trial: LimitTrial, text: string, tokens: number): boolean {
  const named = [...text.matchAll(/\d+/g)].map(Number)
  const smaller = named.filter((number) => number >= minLimit && number < tokens)
  // Without a number in the text, or after that number was refused too, a quarter of the limit is tried.
  const next = trial.most === Infinity ? Math.max(0, ...smaller) : 0
  const most = next > 0 ? next : Math.floor(tokens / 4)
  if (most < minLimit) return false
  trial.most = most
  trial.isOfPrompt ||= contextError.test(text)
  return true
}

function keyOf({ provider, model }: Route): string {
  return `${provider.baseUrl} ${model}`
}

function learnedOf(route: Route): Learned | undefined {
  return learned.size === 0 ? undefined : learned.get(keyOf(route))
}

function learn(route: Route): Learned {
  const key = keyOf(route)
  let known = learned.get(key)
  if (known === undefined) {
    known = { refused: new Set(), ranOn: false, most: Infinity }
    const [oldest] = learned.keys()
    if (oldest !== undefined && learned.size >= maxLearned) learned.delete(oldest)
    learned.set(key, known)
  }
  return known
}
