import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { GatewayProcess, Home } from './gateway.ts'
import { type Reply, Upstream } from './upstream.ts'

/**
 * Starts a gateway with its own home and its upstream.
 * @param how one for the whole file, or one for each test
 * @param atStart the upstream's behaviour while the gateway starts
 */
export function useAgent(
  how: 'all' | 'each' = 'all',
  more: Record<string, string> = {},
  atStart?: Reply,
) {
  let home: Home
  let upstream: Upstream
  let gateway: GatewayProcess
  const start = async () => {
    home = await Home.make()
    upstream = await Upstream.start()
    if (atStart !== undefined) upstream.reply = atStart
    gateway = await GatewayProcess.start(home.environment(upstream.baseUrl, more))
  }
  const end = async () => {
    await gateway[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  }
  ;(how === 'all' ? beforeAll : beforeEach)(start)
  ;(how === 'all' ? afterAll : afterEach)(end)
  return {
    get home(): Home {
      return home
    },
    get upstream(): Upstream {
      return upstream
    },
    get gateway(): GatewayProcess {
      return gateway
    },
    /** Starts the gateway again in the same home, after it has ended. */
    async restart(): Promise<void> {
      gateway = await GatewayProcess.start(home.environment(upstream.baseUrl, more))
    },
  }
}
