import { Agent, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createProxyServer } from 'httpxy'
import type { Admission } from './ask.ts'
import { headersForAgent, tame } from './headers.ts'
import { answerOn, fail } from './refuse.ts'

/** Passes requests and upgraded connections on to agents, as they come and no faster than they are read. */
export interface Forwarder {
  request(request: IncomingMessage, response: ServerResponse, admission: Admission): Promise<void>
  upgrade(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    admission: Admission,
  ): Promise<void>
  /** Ends every connection that was upgraded, and the idle ones. */
  close(): void
}

/** So long may an agent take to accept a socket; meanwhile the proxy cannot see whether the client still waits. */
const handshakeMs = 30_000

export function createForwarder(): Forwarder {
  // An agent that has closed a connection which was kept open would lose a request: each has its own.
  const agent = new Agent({ keepAlive: false })
  const upgraded = new Set<Socket>()
  const proxy = createProxyServer({ agent, prependPath: false, upgradeTimeout: handshakeMs })
  proxy.on('proxyRes', tame)
  proxy.on('proxyReq', (outgoing, _, response) => {
    // The client did not ask for another protocol, and would get no answer at all.
    outgoing.once('upgrade', (_answer: IncomingMessage, toAgent: Socket) => {
      toAgent.destroy()
      unreachable(response)
    })
  })
  proxy.on('proxyReqWs', (outgoing, request, socket) => {
    let answered = false
    // These come before the proxy's own, which write to the client.
    outgoing.once('upgrade', (answer: IncomingMessage, toAgent: Socket) => {
      answered = true
      tame(answer)
      endTogether(socket, toAgent)
    })
    outgoing.once('response', (answer: IncomingMessage) => {
      answered = true
      tame(answer)
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

/** Neither end of a connection outlives the other, however it ended. */
function endTogether(one: Socket, other: Socket): void {
  one.once('close', () => other.destroy())
  other.once('close', () => one.destroySoon())
}

function unreachable(response: ServerResponse): void {
  fail(response, 502, 'AGENT_UNREACHABLE', 'The agent cannot be reached')
}
