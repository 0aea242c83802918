import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { pathOf } from '../http/app.ts'
import type { Authorize } from '../http/authorize.ts'
import { maxBodyBytes } from '../http/input.ts'
import { Problem, toProblem } from '../http/problem.ts'
import { refuseSocket } from '../http/refuse-socket.ts'
import { stopping } from '../work.ts'
import { attend, type Services } from './connection.ts'

/** Often enough that no proxy on the way takes a connection for idle. */
const heartbeatMs = 30_000

/** How long callers have to say goodbye. */
const goodbyeMs = 1_000

/** WebSocket's code for a service that starts anew: come again. */
const restart = 1012

/** The agent's WebSocket, at `/` with the token: chat without a request for each message. */
export class Sockets {
  readonly #services: Services
  readonly #authorize: Authorize
  #server: Promise<WebSocketServer> | undefined
  readonly #silent = new WeakSet<WebSocket>()

  constructor(services: Services, authorize: Authorize) {
    this.#services = services
    this.#authorize = authorize
  }

  /** Takes an upgrade, or refuses it as a request would be. */
  async accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Until the WebSocket takes the connection over, only this handler hears of its end.
    socket.on('error', () => socket.destroy())
    try {
      this.#authorize(request.headers.authorization)
      if (pathOf(request.url) !== '/') {
        throw new Problem(404, 'unknown_path', 'There is no WebSocket at this path')
      }
      if (this.#services.work.draining) throw stopping
      const server = await (this.#server ??= this.#open())
      server.handleUpgrade(request, socket, head, (client) => {
        client.on('pong', () => this.#silent.delete(client))
        attend(client, this.#services)
      })
    } catch (error) {
      refuseSocket(socket, toProblem(error))
    }
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    const server = await this.#server
    if (server === undefined) return
    const closed = [...server.clients].map(
      (client) => new Promise((resolve) => client.once('close', resolve)),
    )
    for (const client of server.clients) client.close(restart, 'The agent starts anew')
    const timer = setTimeout(() => {
      for (const client of server.clients) client.terminate()
    }, goodbyeMs)
    await Promise.all(closed)
    clearTimeout(timer)
  }

  /** Loaded by the first who wants it: most agents are never spoken to this way. */
  async #open(): Promise<WebSocketServer> {
    const { WebSocketServer } = await import('ws')
    const server = new WebSocketServer({ noServer: true, maxPayload: maxBodyBytes })
    setInterval(() => this.#look(server), heartbeatMs).unref()
    return server
  }

  /** Who has not answered the last look is gone. */
  #look(server: WebSocketServer): void {
    for (const client of server.clients) {
      if (this.#silent.has(client)) client.terminate()
      this.#silent.add(client)
      client.ping()
    }
  }
}
