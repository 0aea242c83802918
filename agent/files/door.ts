import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { agentHeader } from '../gateway/routes/health.ts'
import type { Settings } from '../gateway/settings.ts'

/** The agent's port while its files are restored: the process lives, but is not ready. */
export class RestoreDoor implements AsyncDisposable {
  readonly #server: Server

  private constructor({ agentId }: Settings) {
    const startedAt = performance.now()
    this.#server = createServer((request, response) => {
      const path = request.url?.split('?', 1)[0]
      const isLive = path === '/healthz' || path === '/health'
      const uptimeMs = Math.round(performance.now() - startedAt)
      const body = isLive
        ? { ok: true, status: 'live' }
        : { ready: false, failing: ['files'], uptimeMs }
      response
        .writeHead(isLive ? 200 : 503, {
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
