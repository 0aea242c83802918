import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import * as z from 'zod'
import { PlatformError } from '../errors.ts'
import { once } from '../once.ts'

/**
 * Calls one function and waits for its answer, both JSON. A call may reach the function twice, as the client tries
 * again where the connection broke.
 * @throws PlatformError 503 where the function was not reached or ended before it answered; Error where it failed
 */
export type Invoke = (payload: unknown) => Promise<unknown>

export interface LambdaOptions {
  /** What Lambda calls the function. */
  functionName: string
  /** Another engine than AWS's own. */
  endpoint?: string | undefined
  /** Milliseconds for the whole of a call; default 12 s. */
  timeoutMs?: number
}

/** Connecting takes milliseconds. */
const connectionTimeout = 2_000

/** For the whole of a call, its second try included: less than half of what a function has that answers people. */
const totalMs = 12_000

const failure = once(() => z.object({ errorType: z.string().optional() }))

/** How Lambda names the end of a function that said nothing: it ran too long, or its process ended. */
const ended = /^(?:Sandbox|Runtime)\./

/** Calls by Lambda's Invoke; the client is made with the first call. */
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
    const said: unknown = JSON.parse(Buffer.from(answer ?? []).toString() || 'null')
    if (failed === undefined) return said
    // Its words are in its own log alone.
    const { errorType = failed } = failure().safeParse(said).data ?? {}
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
