import { payTarget } from '#shared/network/agent-payments/request.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { type HttpAnswer, sendRequest } from '#shared/platform/http-client/client.ts'
import { targetOf } from '#shared/platform/http-client/connections.ts'
import type { HttpFailure } from '#shared/platform/http-client/failure.ts'
import { approvalHeader } from '#shared/platform/http-client/forwarded.ts'
import { textBeginning } from '#shared/platform/http-client/text.ts'
import { credentialName } from '#shared/tools/broker/schema.ts'
import { brokerTarget } from '#shared/tools/broker/target.ts'

/** The maximum size of a response body for a model, in bytes. */
const maxBytes = 24_000

/** An HTTP API ends its requests after 30 s. */
const totalMs = 24_000

/** The response headers that a model can use. */
const passedHeaders = ['content-type', 'link', 'location', 'retry-after'] as const

interface HostRequest {
  method: string
  host: string
  path: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
}

interface ServiceAnswer {
  status: number
  headers: Record<string, string>
  /** Null if the body is not text. */
  body: string | null
  cut: boolean
  /** Present if the request waits for an approval: contract.md 17. */
  state?: 'pending'
  approvalId?: string
}

interface ServiceRequest extends HostRequest {
  service: string
}

/** The client of the broker. Its calls share the limits, slots and records of the agent's container. */
export interface AskBroker {
  /** Returns the services in the format of `GET /broker`. */
  list(): Promise<Record<string, unknown>>
  /** @throws PlatformError 400 for an invalid path, 502, 504 if the response takes longer than 24 s */
  use(request: ServiceRequest): Promise<ServiceAnswer>
  /**
   * Sends a request to any host, and pays for it if the host asks for a payment.
   * @throws PlatformError as `use`
   */
  pay(request: HostRequest): Promise<ServiceAnswer & { paymentId: string | null }>
}

/**
 * @param authorization the agent's Authorization header
 * @param session the agent's session of the call, as its gateway names it
 */
export function askBroker({
  backendUrl,
  authorization,
  session,
  signal,
}: {
  backendUrl: string
  authorization: string
  session: string | null
  signal: AbortSignal
}): AskBroker {
  const ask = (
    path: string,
    { method, headers, body }: Partial<ServiceRequest> = {},
  ): Promise<HttpAnswer> =>
    sendRequest({
      // Not parsed as a URL, because that resolves the dots in a path and could lead to another route.
      target: { ...targetOf(backendUrl), path },
      method,
      headers: { ...headers, authorization, ...(session !== null && { 'x-session': session }) },
      body: body === undefined ? undefined : Buffer.from(body),
      timeouts: { totalMs },
      pooled: true,
      signal,
      toError: refusalOf,
    })
  return {
    async list() {
      const answer = await ask('/broker')
      const list = JSON.parse(String(await answer.whole())) as Record<string, unknown>
      if (answer.status === 200) return list
      throw new PlatformError(
        'bad-gateway',
        `The services cannot be listed: ${String(list['error'])}`,
      )
    },
    async use(request) {
      const { service, host, path } = request
      const place = `/broker/${encodeURIComponent(service)}/${host}${path}`
      if (!credentialName.test(service)) throw notListed()
      const read = brokerTarget(place)
      if (read.name !== service || read.host !== host) throw notListed()
      return serviceAnswer(await ask(place, request))
    },
    async pay(request) {
      const place = `/pay/${request.host}${request.path}`
      if (payTarget(place).host !== request.host)
        throw new PlatformError('bad-request', 'url must be the address of a host')
      const answer = await ask(place, request)
      const id = answer.headers['x-payment-id']
      const paymentId = typeof id === 'string' ? id : null
      return { ...(await serviceAnswer(answer)), paymentId }
    },
  }
}

async function serviceAnswer(answer: HttpAnswer): Promise<ServiceAnswer> {
  const { text: body, cut } = await textBeginning(answer, maxBytes)
  const approvalId = answer.headers[approvalHeader]
  const pending = typeof approvalId === 'string' && { state: 'pending' as const, approvalId }
  return { ...pending, status: answer.status, headers: passedHeadersOf(answer), body, cut }
}

function notListed(): PlatformError {
  return new PlatformError('bad-request', 'service and host must be values from list_services')
}

function passedHeadersOf({ headers }: HttpAnswer): Record<string, string> {
  return Object.fromEntries(
    passedHeaders.flatMap((name) =>
      headers[name] === undefined ? [] : [[name, String(headers[name])]],
    ),
  )
}

function refusalOf(failure: HttpFailure): PlatformError {
  if (failure.kind === 'total')
    return new PlatformError(
      'timeout',
      `The service took longer than ${totalMs / 1000} s; it may have executed the request`,
      { cause: failure },
    )
  return new PlatformError(
    'bad-gateway',
    'The response was interrupted; the service may have executed the request',
    {
      cause: failure,
    },
  )
}
