import type { ModelFamily } from '#shared/manifest/model-families.ts'
import type { PlatformError } from '#shared/platform/errors.ts'
import type { PassedOn } from '../answers/passed-on.ts'
import type { Attempt, ModelCall, StreamedAnswer, WholeAnswer } from '../completions/call.ts'
import type { Route } from '../providers/provider.ts'
import { speaks, unsupported } from '../providers/speaks.ts'
import type { Size } from '../usage.ts'

/** The usage of an answer whose provider counts no tokens, in OpenAI's form. */
export const noTokens = { prompt_tokens: 0, completion_tokens: 0 }

interface PassedOnCall {
  family: ModelFamily
  model: string
  /** Returns the maximum usage on a route. */
  bound(route: Route): Size
  /** Returns why a provider of the family cannot answer the request; undefined if it can. */
  refusal?(route: Route): PlatformError | undefined
  /** Returns the text of the request for the spans of a user's collector. */
  text?(): string
  stream?: boolean
  askWhole?(attempt: Attempt): Promise<WholeAnswer<PassedOn>>
  askStream?(attempt: Attempt): Promise<StreamedAnswer>
}

/**
 * Returns a request of a family that only a provider of that family can answer, as a call of the core. No other model
 * replaces the requested one, because its answers differ in form or meaning: vectors of two models cannot be compared.
 */
export function passedOnCall({
  family,
  model,
  bound,
  refusal,
  text,
  stream = false,
  askWhole,
  askStream,
}: PassedOnCall): ModelCall<PassedOn> {
  return {
    model,
    refusal: (route) => (speaks(route, family) ? refusal?.(route) : unsupported(route, family)),
    fallsBack: false,
    stream,
    choices: 0,
    maxTokens: undefined,
    prompt: { tokens: 0, images: [] },
    bound,
    messages: () => (text === undefined ? [] : [{ role: 'user', content: text() }]),
    askWhole: askWhole ?? notServed,
    askStream: askStream ?? notServed,
  }
}

function notServed(): never {
  throw new Error('the family has no answers of this kind')
}
