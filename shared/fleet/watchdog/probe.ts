import type { Address } from '../../platform/containers/port.ts'
import { sendRequest } from '../../platform/http-client/client.ts'
import { HttpFailure } from '../../platform/http-client/failure.ts'

/** Container health probe: spec.md, Health and heartbeat. */
const timeouts = { totalMs: 5000 }

/** `named`: whether what answers has said that it is this agent, and no other container that has the address by now. */
export type Probe =
  | { healthy: true; named: boolean }
  /** `another`: whom the answer names in its place. */
  | { healthy: false; cause: string; another?: string }

/** By which an answer says whose it is: agent/README.md. An image of an operator's own may leave it out. */
const agentHeader = 'agent-id'

/**
 * Asks an agent's gateway whether it can work. An address is soon given to another container: its answer is none.
 * It never throws: no answer is an answer too.
 */
export async function probe(address: Address | undefined, agentId: string): Promise<Probe> {
  if (address === undefined) return { healthy: false, cause: 'it has no address yet' }
  try {
    const target = { ...address, path: '/readyz' }
    const { status, headers, close } = await sendRequest({ target, timeouts })
    close()
    const answering = headers[agentHeader]
    const named = answering === agentId
    if (answering !== undefined && !named)
      return {
        healthy: false,
        cause: 'its address is another agent’s',
        another: String(answering),
      }
    if (status === 200) return { healthy: true, named }
    return { healthy: false, cause: `its health check answered ${status}` }
  } catch (error) {
    return { healthy: false, cause: `its gateway ${causeOf(error)}` }
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof HttpFailure)) throw error
  if (error.kind === 'total') return 'did not answer in time'
  return error.kind === 'upgraded' ? 'gave no answer' : 'cannot be reached'
}
