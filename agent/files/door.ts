import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { agentHeader } from '../gateway/routes/health.ts'
import type { Settings } from '../gateway/settings.ts'

/**
 * The platform replaces a container that is not ready within 170 s (the health check of shared/manifest/containers.ts).
 * A restore that takes longer reports itself as ready before, and refuses all other requests with 503.
 */
const reportsReadyAfterMs = 120_000

/** The agent's port while its files are restored: the process lives, but is not ready. */
export class RestoreDoor implements AsyncDisposable {
  readonly #server: Server

  private constructor({ agentId }: Settings) {
    const startedAt = performance.now()
    this.#server = createServer((request, response) => {
      const path = request.url?.split('?', 1)[0]
      const uptimeMs = Math.round(performance.now() - startedAt)
      const isLate = uptimeMs > reportsReadyAfterMs
      const isLive = path === '/healthz' || path === '/health'
      const isReady = isLate && path === '/readyz'
      const body = isLive
        ? { ok: true, status: 'live' }
        : { ready: isReady, failing: ['files'], uptimeMs }
      response
        .writeHead(isLive || isReady ? 200 : 503, {
          'content-type': 'application/json',
          [agentHeader]: agentId,
          connection: 'close',
          ...(!isLive && { 'retry-after': '1' }),
        })
        .end(JSON.stringify(body))
    })
  }

  static async open(settings: Settings): Promise<RestoreDoor> {
    const door = new RestoreDoor(settings)
    door.#server.listen(settings.port, settings.host)
    await once(door.#server, 'listening')
    return door
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}
