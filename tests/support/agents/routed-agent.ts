import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { WebSocket, WebSocketServer } from 'ws'
import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { startRouter } from '#stacks/local/router/router.ts'
import {
  type Person,
  routerSecret,
  type HostRequest,
  say,
  serve,
  startGate,
} from './agent-hosts.ts'

/**
 * Starts the proxy in front of the agents.
 * @param gateUrl the gate's address
 */
export type Front = (gateUrl: string) => Promise<{ port: number; close(): Promise<void> }>

const localRouter: Front = async (backendUrl) => {
  const { port, close } = await startRouter({
    port: 0,
    backendUrl,
    secret: routerSecret,
    renewEveryMs: 50,
  })
  return { port, close: () => close(0) }
}

/** Responds with the request. */
export function echo({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ method, url, headers }))
}

/** Returns the port of a server that has ended. */
export async function deadPort(): Promise<number> {
  const { port, close } = await serve(echo)
  await close()
  return port
}

/** Starts a user's agent behind a gate and a router. The test sets how its container handles requests. */
export async function startRoutedAgent(front: Front = localRouter) {
  const gate = await startGate()
  const router = await front(gate.url)
  let behaviour: RequestListener = echo
  const container = await serve((incoming, response) => behaviour(incoming, response))
  const sockets = new WebSocketServer({ server: container.server })
  sockets.on('connection', (socket, { headers }) => {
    socket.on('message', (data) => socket.send(`${headers.authorization} ${String(data)}`))
  })
  const address = { host: '127.0.0.1', port: container.port }
  const owner = await gate.person()
  const agent = await gate.agent(owner.id, { address })
  const host = gate.hostOf(agent)
  const withKey = { authorization: `Bearer ${owner.key}` }

  const routed = {
    gate,
    owner,
    agent,
    host,
    withKey,
    address,
    sockets,
    port: router.port,

    /** Sets the container's request handler from now on. */
    behave(next: RequestListener) {
      behaviour = next
    },

    /** Sends a request to the agent with its owner's key. */
    ask: (path = '/', { headers, ...saying }: HostRequest = {}) =>
      say(router.port, host, { path, headers: { ...withKey, ...headers }, ...saying }),

    /** Sends raw bytes with a key, and reads until the other side closes the connection. */
    async raw(head: string, body = ''): Promise<string> {
      const socket = connect(router.port, '127.0.0.1')
      socket.write(`${head}Authorization: Bearer ${owner.key}\r\n\r\n${body}`)
      return text(socket)
    },

    /** Returns the cookie of a browser that followed a sign-in link. */
    async cookieOf(person: Person = owner, of: Agent = agent): Promise<string> {
      const { body } = await gate.askForTicket(of.id, person.session)
      const { pathname, search } = new URL(body.url ?? '')
      const entered = await say(router.port, gate.hostOf(of), { path: pathname + search })
      return entered.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    },

    /** Opens a WebSocket. `refused` resolves with the status of a response that does not upgrade. */
    open(headers: Record<string, string> = withKey, options: { origin?: string } = {}) {
      const socket = new WebSocket(`ws://127.0.0.1:${router.port}/socket`, {
        headers: { host, ...headers },
        ...options,
      })
      const refused = new Promise<number>((resolve) => {
        socket.on('unexpected-response', (_, answer) => resolve(answer.statusCode ?? 0))
      })
      return { socket, refused }
    },

    /** Moves the agent to another port. */
    async move(to: number): Promise<void> {
      await changeAgent(gate, {
        agent: await gate.row(agent),
        decide: (row) => ({
          ...row,
          address: { ...address, port: to },
        }),
      })
    },

    async close() {
      await router.close()
      await container.close()
      await gate.close()
    },
  }
  return routed
}

export type RoutedAgent = Awaited<ReturnType<typeof startRoutedAgent>>
