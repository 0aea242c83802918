import { get } from 'node:http'
import type { Address } from '../../platform/containers/port.ts'

/** Container health probe: spec.md, Health and heartbeat. */
const timeoutMs = 5000

export type Probe = { healthy: true } | { healthy: false; cause: string }

/** Asks an agent's gateway whether it can work. It never throws: no answer is an answer too. */
export async function probe(address: Address | undefined): Promise<Probe> {
  if (address === undefined) return { healthy: false, cause: 'it has no address yet' }
  return new Promise((resolve) => {
    const request = get(
      { host: address.host, port: address.port, path: '/readyz', timeout: timeoutMs, agent: false },
      (response) => {
        response.resume()
        const { statusCode = 0 } = response
        if (statusCode === 200) resolve({ healthy: true })
        else resolve({ healthy: false, cause: `its health check answered ${statusCode}` })
      },
    )
    const deadline = setTimeout(() => request.destroy(new Error('timeout')), timeoutMs)
    request.once('error', ({ message }) => {
      const cause = message === 'timeout' ? 'did not answer in time' : 'cannot be reached'
      resolve({ healthy: false, cause: `its gateway ${cause}` })
    })
    request.once('close', () => {
      clearTimeout(deadline)
      // It may end with neither an answer nor an error: where the other side would speak another protocol.
      resolve({ healthy: false, cause: 'its gateway gave no answer' })
    })
  })
}
