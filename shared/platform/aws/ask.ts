import {
  isClockSkewError,
  isThrottlingError,
  isTransientError,
  StandardRetryStrategy,
} from '@smithy/core/retry'
import aws4 from 'aws4'
import { credentials, region } from '#carrier'
import { sendRequest } from '../http-client/client.ts'
import { type HttpTarget, targetOf } from '../http-client/connections.ts'
import { HttpFailure } from '../http-client/failure.ts'
import { type Values, valuesOf } from './answer.ts'

/**
 * Requests an operation of a service.
 * @throws Error with the name that the service gives it; HttpFailure without a complete response
 */
export type Ask = (operation: string, input: object) => Promise<Values>

interface Service {
  name: 'dynamodb' | 'sqs'
  /** The name of the service in the header `x-amz-target`. */
  target: string
  /** An endpoint other than AWS's. */
  endpoint: string | undefined
  /** The maximum number of attempts of a request. */
  attempts: number
}

/** A request fails if its service sends no byte for this time, in milliseconds. */
const idleMs = 30_000

/**
 * Sends the operations of a service in AWS's JSON protocol, without the middleware of the SDK, which takes several times
 * the processor time of the request itself. The SDK's retry strategy and its error classes decide what is repeated.
 * @see https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html
 */
export function askService({ name, target, endpoint, attempts }: Service): Ask {
  const retries = new StandardRetryStrategy(attempts)
  /** The difference between the clock of the service and the clock of this machine, in milliseconds. */
  let aheadMs = 0
  let place: HttpTarget | undefined

  async function once(operation: string, body: string): Promise<Values> {
    const at = region()
    const inRegion = typeof at === 'string' ? at : await at
    const by = credentials()
    place ??= targetOf(endpoint ?? endpointOf(name, inRegion))
    const { port, path } = place
    const hostname = place.hostname ?? ''
    const headers = {
      Host: port ? `${hostname}:${port}` : hostname,
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Date': timestamp(Date.now() + aheadMs),
      'X-Amz-Target': `${target}.${operation}`,
      ...lineage(),
    }
    const { headers: signed = {} } = aws4.sign(
      { service: name, region: inRegion, method: 'POST', path: path ?? '/', headers, body },
      by instanceof Promise ? await by : by,
    )
    const answer = await sendRequest({
      target: place,
      method: 'POST',
      headers: signed,
      body,
      timeouts: { idleMs },
      pooled: true,
    })
    const given = { status: answer.status, body: (await answer.whole()).toString() }
    try {
      return valuesOf(given)
    } catch (error) {
      throw isClockSkewError(error as SdkError) ? corrected(error, answer.headers.date) : error
    }
  }

  /** Adopts the service's clock if it differs by minutes. @returns the error, marked as transient in this case */
  function corrected(error: unknown, date = ''): unknown {
    const ahead = Date.parse(date) - Date.now()
    if (Number.isNaN(ahead) || Math.abs(ahead - aheadMs) <= toleratedMs) return error
    aheadMs = ahead
    return Object.assign(error as SdkError, { $metadata: { clockSkewCorrected: true } })
  }

  return async (operation, input) => {
    const body = JSON.stringify(input)
    let token = await retries.acquireInitialRetryToken(name)
    for (;;) {
      try {
        const answer = await once(operation, body)
        retries.recordSuccess(token)
        return answer
      } catch (error) {
        const next = await retries
          .refreshRetryTokenForRetry(token, { errorType: typeOf(error as SdkError) })
          .catch(() => undefined)
        if (next === undefined) throw error
        token = next
      }
    }
  }
}

/**
 * Returns the header with the trace of this invocation. Lambda needs it in messages to count the invocations of a chain:
 * docs.aws.amazon.com/lambda, recursive loop detection.
 */
function lineage(): { 'X-Amzn-Trace-Id'?: string } {
  const { AWS_LAMBDA_FUNCTION_NAME: name, _X_AMZN_TRACE_ID: trace } = process.env
  return name && trace ? { 'X-Amzn-Trace-Id': trace } : {}
}

/** AWS refuses requests whose time differs by more: the documentation of Signature Version 4. */
const toleratedMs = 300_000

/** Returns a time as ISO 8601 in its basic format, such as `20261126T091500Z`. @param at epoch milliseconds */
function timestamp(at: number): string {
  return new Date(at).toISOString().replaceAll(/[:-]|\.\d{3}/g, '')
}

type SdkError = Parameters<typeof isTransientError>[0]

function typeOf(error: SdkError): 'THROTTLING' | 'TRANSIENT' | 'CLIENT_ERROR' {
  if (isThrottlingError(error)) return 'THROTTLING'
  return error instanceof HttpFailure || isTransientError(error) ? 'TRANSIENT' : 'CLIENT_ERROR'
}

/** Returns the endpoint in the environment, or the regional one: docs.aws.amazon.com/general/latest/gr/ddb.html. */
function endpointOf(name: Service['name'], inRegion: string): string {
  const { env } = process
  const given = env[`AWS_ENDPOINT_URL_${name.toUpperCase()}`] ?? env.AWS_ENDPOINT_URL
  if (given !== undefined) return given
  const suffix = inRegion.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  return `https://${name}.${inRegion}.${suffix}`
}
