import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import * as z from 'zod'
import { PlatformError } from '../errors.ts'
import { once } from '../once.ts'

/**
 * Calls one function with JSON and waits for its JSON response. A call may reach the function twice, because the client
 * retries broken connections.
 * @throws PlatformError 503 if the function was not reached or ended before it responded; Error if it failed
 */
export type Invoke = (payload: unknown) => Promise<unknown>

export interface LambdaOptions {
  /** The function's name in Lambda. */
  functionName: string
  /** A Lambda endpoint other than AWS's. */
  endpoint?: string | undefined
  /** The timeout of a whole call in milliseconds. Default: 12 s. */
  timeoutMs?: number
}

/** The timeout of a new connection, which usually takes milliseconds. */
const connectionTimeout = 2_000

/**
 * The timeout of a whole call, including its second attempt: less than half of the timeout of a function with HTTP
 * requests.
 */
const totalMs = 12_000

const failure = once(() => z.object({ errorType: z.string().optional() }))

/** Lambda's error types for a function that ended without a response: it timed out, or its process ended. */
const ended = /^(?:Sandbox|Runtime)\./

/** Calls a function by Lambda's Invoke. The client is created with the first call. */
export function lambdaInvoke({
  functionName,
  endpoint,
  timeoutMs = totalMs,
}: LambdaOptions): Invoke {
  const client = once(
    () =>
      new LambdaClient({
        requestHandler: { connectionTimeout },
        maxAttempts: 2,
        ...(endpoint !== undefined && { endpoint }),
      }),
  )
  return async (payload) => {
    const command = new InvokeCommand({
      FunctionName: functionName,
      Payload: Buffer.from(JSON.stringify(payload)),
    })
    const { FunctionError: failed, Payload: answer } = await client()
      .send(command, { abortSignal: AbortSignal.timeout(timeoutMs) })
      .catch((error: unknown) => {
        throw unreachable(functionName, error)
      })
    const result: unknown = JSON.parse(Buffer.from(answer ?? []).toString() || 'null')
    if (failed === undefined) return result
    // The message of the error is only in the log of the function.
    const { errorType = failed } = failure().safeParse(result).data ?? {}
    const error = new Error(`${functionName} failed: ${errorType}`)
    throw ended.test(errorType) ? unreachable(functionName, error) : error
  }
}

function unreachable(functionName: string, cause: unknown): PlatformError {
  return new PlatformError('unavailable', `${functionName} cannot be reached at the moment`, {
    headers: { 'Retry-After': '1' },
    cause,
  })
}
