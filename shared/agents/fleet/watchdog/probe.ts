import type { IncomingHttpHeaders } from 'node:http'
import type { Address } from '#shared/platform/containers/port.ts'
import { sendRequest } from '#shared/platform/http-client/client.ts'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'

/** Container health probe: spec.md, Health and heartbeat. */
const timeouts = { totalMs: 5000 }

/** The bytes that a container has sent and printed since its start. Null if it does not report them. */
export interface Traffic {
  sent: number | null
  printed: number | null
}

/** `isNamed`: the response contains the agent's id, so it does not come from another container with the same address. */
export type ProbeResult =
  | { healthy: true; named: boolean; traffic?: Traffic }
  /** `another`: the id that the response contains instead. */
  | { healthy: false; cause: string; another?: string }

/** The response header with the agent's id: agent/README.md. Custom images can leave it out. */
const agentHeader = 'agent-id'

/** The response headers with the container's traffic: agent/README.md. */
const trafficHeaders = { sent: 'agent-sent-bytes', printed: 'agent-printed-bytes' }

/**
 * Probes the health of an agent's gateway. The address may already belong to another container; the response of another
 * container is a failure. Never throws: a missing response is a result, too.
 */
export async function probe(address: Address | undefined, agentId: string): Promise<ProbeResult> {
  if (address === undefined) return { healthy: false, cause: 'it has no address yet' }
  try {
    const target = { ...address, path: '/readyz' }
    const { status, headers, close } = await sendRequest({ target, timeouts })
    close()
    const answering = headers[agentHeader]
    const isNamed = answering === agentId
    if (answering !== undefined && !isNamed)
      return {
        healthy: false,
        cause: 'its address belongs to another agent',
        another: String(answering),
      }
    if (status === 200) return { healthy: true, named: isNamed, ...(isNamed && trafficIn(headers)) }
    return { healthy: false, cause: `its health check answered ${status}` }
  } catch (error) {
    return { healthy: false, cause: `its gateway ${causeOf(error)}` }
  }
}

/** The container is the user's code, so only whole numbers count. */
function trafficIn(headers: IncomingHttpHeaders): { traffic: Traffic } | undefined {
  const [sent, printed] = [trafficHeaders.sent, trafficHeaders.printed].map((name) => {
    const value = headers[name]
    return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : null
  }) as [number | null, number | null]
  return sent === null && printed === null ? undefined : { traffic: { sent, printed } }
}

function causeOf(error: unknown): string {
  if (!(error instanceof HttpFailure)) throw error
  if (error.kind === 'total') return 'did not answer in time'
  return error.kind === 'upgraded' ? 'gave no answer' : 'cannot be reached'
}
