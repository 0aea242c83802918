import * as z from 'zod'
import { type ErrorKind, PlatformError } from '#shared/platform/errors.ts'
import { once } from '#shared/platform/once.ts'
import { parseAnswer } from './read-whole.ts'

/** The maximum number of characters of an agent's error message, which the platform stores and returns. */
const longestMessage = 500
const longestError = 4000

/** OpenAI's format, with the additional fields of the platform's AI gateway, such as `capUsd`. */
const failureBody = once(() =>
  z.object({
    error: z
      .looseObject({
        message: z
          .string()
          .catch('The agent failed')
          .transform((text) => text.slice(0, longestMessage).toWellFormed()),
        code: z.string().max(64).nullish().catch(null),
      })
      .refine((error) => JSON.stringify(error).length <= longestError),
  }),
)

/** Errors that the caller can fix keep their status. The others are failures of the agent. */
const kinds: Readonly<Record<number, ErrorKind>> = {
  400: 'bad-request',
  402: 'payment-required',
  403: 'forbidden',
  413: 'payload-too-large',
  429: 'too-many-requests',
  504: 'timeout',
}

/**
 * Returns an agent's error response as a PlatformError, with its code and details.
 * @param status the response's status; 502 for an error in the middle of a stream
 */
export function agentFailure(status: number, body: string, retryAfter?: string): PlatformError {
  const { message, code, type: _, param: __, ...details } = parse(body)
  return new PlatformError(kinds[status] ?? 'bad-gateway', message, {
    details,
    ...(code ? { code } : {}),
    ...(retryAfter !== undefined && { headers: { 'Retry-After': retryAfter } }),
  })
}

function parse(body: string): z.output<ReturnType<typeof failureBody>>['error'] {
  try {
    return failureBody().parse(parseAnswer(body)).error
  } catch {
    // Another server responded at the agent's address. Its message is not returned.
    return { message: 'The agent failed', code: 'AGENT_FAILED' }
  }
}
