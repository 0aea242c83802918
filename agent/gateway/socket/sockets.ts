import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { pathOf } from '../http/app.ts'
import type { Authorize } from '../http/authorize.ts'
import { maxBodyBytes } from '../http/input.ts'
import { Problem, toProblem } from '../http/problem.ts'
import { refuseSocket } from '../http/refuse-socket.ts'
import { stopping } from '../work.ts'
import { answerMessages, type Services } from './connection.ts'

/** Frequent enough that no proxy considers a connection idle. */
const heartbeatMs = 30_000

/** The time that callers get to complete the close handshake. */
const goodbyeMs = 1_000

/** WebSocket's close code for a service that restarts: the client should reconnect. */
const restart = 1012

/** The agent's WebSocket at `/`, with the token: chat without a request for each message. */
export class Sockets {
  readonly #services: Services
  readonly #authorize: Authorize
  #server: Promise<WebSocketServer> | undefined
  readonly #silent = new WeakSet<WebSocket>()

  constructor(services: Services, authorize: Authorize) {
    this.#services = services
    this.#authorize = authorize
  }

  /** Accepts an upgrade, or refuses it with the response that a request would get. */
  async accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Until the WebSocket takes over the connection, only this handler sees its errors.
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
        answerMessages(client, this.#services)
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
    for (const client of server.clients) client.close(restart, 'The agent is restarting')
    const timer = setTimeout(() => {
      for (const client of server.clients) client.terminate()
    }, goodbyeMs)
    await Promise.all(closed)
    clearTimeout(timer)
  }

  /** Loads the WebSocket package on first use, because most agents never need it. */
  async #open(): Promise<WebSocketServer> {
    const { WebSocketServer } = await import('ws')
    const server = new WebSocketServer({ noServer: true, maxPayload: maxBodyBytes })
    setInterval(() => this.#look(server), heartbeatMs).unref()
    return server
  }

  /** Ends connections that did not answer the last ping. */
  #look(server: WebSocketServer): void {
    for (const client of server.clients) {
      if (this.#silent.has(client)) client.terminate()
      this.#silent.add(client)
      client.ping()
    }
  }
}
