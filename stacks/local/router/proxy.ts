import { Agent, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createProxyServer } from 'httpxy'
import type { Admission } from './ask.ts'
import { headersForAgent, sanitizeResponse } from './headers.ts'
import { answerOn, fail } from './refuse.ts'

/** Forwards requests and upgraded connections to agents, with backpressure. */
export interface Forwarder {
  request(request: IncomingMessage, response: ServerResponse, admission: Admission): Promise<void>
  upgrade(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    admission: Admission,
  ): Promise<void>
  /** Ends all upgraded connections and idle connections. */
  close(): void
}

/** The limit for an agent to accept a WebSocket, in milliseconds. Until then, a disconnect of the client goes unnoticed. */
const handshakeMs = 30_000

/** Creates the proxy to agents, for HTTP and WebSockets. */
export function createForwarder(): Forwarder {
  // Each request gets its own connection: an agent may close a pooled one just as a request is sent on it.
  const agent = new Agent({ keepAlive: false })
  const upgraded = new Set<Socket>()
  const proxy = createProxyServer({ agent, prependPath: false, upgradeTimeout: handshakeMs })
  proxy.on('proxyRes', sanitizeResponse)
  proxy.on('proxyReq', (outgoing, _, response) => {
    // The client did not request an upgrade, so it would never get a response.
    outgoing.once('upgrade', (_answer: IncomingMessage, toAgent: Socket) => {
      toAgent.destroy()
      unreachable(response)
    })
  })
  proxy.on('proxyReqWs', (outgoing, request, socket) => {
    let answered = false
    // Registered before the proxy's own listeners, which write to the client.
    outgoing.once('upgrade', (answer: IncomingMessage, toAgent: Socket) => {
      answered = true
      sanitizeResponse(answer)
      endTogether(socket, toAgent)
    })
    outgoing.once('response', (answer: IncomingMessage) => {
      answered = true
      sanitizeResponse(answer)
    })
    outgoing.once('error', () => {
      if (!answered) unreachable(answerOn(socket, request))
    })
  })

  return {
    async request(request, response, admission) {
      request.headers = headersForAgent(request.headers, admission)
      await proxy.web(request, response, { target: targetOf(admission) }).catch(() => {
        if (response.headersSent) response.destroy()
        else unreachable(response)
      })
    },
    async upgrade(request, socket, head, admission) {
      request.headers = headersForAgent(request.headers, admission)
      upgraded.add(socket)
      socket.once('close', () => upgraded.delete(socket))
      const options = { target: targetOf(admission) }
      await proxy.ws(request, socket, options, head).catch(() => socket.destroySoon())
    },
    close() {
      for (const socket of upgraded) socket.destroy()
      agent.destroy()
    },
  }
}

function targetOf({ upstream }: Admission): string {
  return `http://${upstream}`
}

/** Closes each connection when the other closes. */
function endTogether(one: Socket, other: Socket): void {
  one.once('close', () => other.destroy())
  other.once('close', () => one.destroySoon())
}

function unreachable(response: ServerResponse): void {
  fail(response, 502, 'AGENT_UNREACHABLE', 'The agent cannot be reached')
}
