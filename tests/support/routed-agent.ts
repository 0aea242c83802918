import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { WebSocket, WebSocketServer } from 'ws'
import type { Agent } from '../../shared/agents/agent.ts'
import { changeAgent } from '../../shared/agents/change.ts'
import { startRouter } from '../../stacks/local/router/router.ts'
import { type Person, routerSecret, type Saying, say, serve, startGate } from './agent-hosts.ts'

/** What stands before the agents. @param gateUrl where the gate answers */
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

/** Answers what was asked. */
export function echo({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ method, url, headers }))
}

/** The address of a server that is no more. */
export async function deadPort(): Promise<number> {
  const { port, close } = await serve(echo)
  await close()
  return port
}

/** An agent of one user behind a gate and a router, whose container does with requests what a test says. */
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

    /** What the container does from now on. */
    behave(next: RequestListener) {
      behaviour = next
    },

    /** Asks the agent for something, with its owner's key. */
    ask: (path = '/', { headers, ...saying }: Saying = {}) =>
      say(router.port, host, { path, headers: { ...withKey, ...headers }, ...saying }),

    /** Says bytes as they are, with a key, and reads what comes until the other side ends. */
    async raw(head: string, body = ''): Promise<string> {
      const socket = connect(router.port, '127.0.0.1')
      socket.write(`${head}Authorization: Bearer ${owner.key}\r\n\r\n${body}`)
      return text(socket)
    },

    /** The cookie of a browser that came by a link. */
    async cookieOf(person: Person = owner, of: Agent = agent): Promise<string> {
      const { body } = await gate.askForTicket(of.id, person.session)
      const { pathname, search } = new URL(body.url ?? '')
      const entered = await say(router.port, gate.hostOf(of), { path: pathname + search })
      return entered.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    },

    /** Opens a WebSocket; `refused` is the status of an answer that is none. */
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

    /** The agent is at another port. */
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
