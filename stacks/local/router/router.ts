import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { closeServer, listen } from '../server/listen.ts'
import { ask, type Gate, type Admission, type GateInput, questionAbout } from './ask.ts'
import { createForwarder } from './proxy.ts'
import { answerOn, fail, sendRefusal } from './refuse.ts'

export interface RouterOptions {
  /** 0 picks a free one. */
  port: number
  /** The address of the backend surface. */
  backendUrl: string
  /** ROUTER_SECRET. */
  secret: string
  /** The interval between questions to the gate about an open connection, in milliseconds. */
  renewEveryMs?: number
}

export interface RunningRouter {
  port: number
  /** Accepts nothing new, lets responses finish for `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>
}

/** Below the 10,240 bytes that API Gateway accepts, because the gate gets most of the headers. */
const maxHeaderSize = 8192

/** The time that a client gets to send its request headers. */
const headersTimeoutMs = 10_000

/** The interval for asking the gate again. One question keeps an agent awake for longer. */
const defaultRenewEveryMs = 20_000

/** Statuses of the gate that end an open connection. */
const shut = new Set([401, 403, 404])

/**
 * Starts the router of the agents' hosts. The platform's gate must allow each request, which then goes to the agent's
 * gateway; responses and WebSockets are streamed. The router asks the gate again for as long as a connection is open. That
 * keeps the agent awake, and ends the connection when the client loses its access.
 */
export async function startRouter(options: RouterOptions): Promise<RunningRouter> {
  const gate: Gate = {
    url: options.backendUrl,
    secret: options.secret,
    agent: new Agent({ keepAlive: true }),
  }
  const forwarder = createForwarder()
  const renewEveryMs = options.renewEveryMs ?? defaultRenewEveryMs
  const closing = new AbortController()

  async function serve(
    request: IncomingMessage,
    socket: Socket,
    answer: () => ServerResponse,
    pass: (admission: Admission) => Promise<void>,
  ): Promise<void> {
    if (!isPlain(request)) {
      const last = answer().setHeader('connection', 'close')
      return fail(last, 400, 'BAD_REQUEST', 'Bad request')
    }
    const gone = new AbortController()
    const end = () => gone.abort()
    socket.once('close', end)
    const question = questionAbout(request)
    const signal = AbortSignal.any([gone.signal, closing.signal])
    try {
      const verdict = await ask(gate, question, signal)
      if ('refusal' in verdict) return sendRefusal(answer(), verdict.refusal)
      using _renewal = renew(question, signal, () => socket.destroy())
      await pass(verdict.admission)
    } catch {
      if (!gone.signal.aborted)
        fail(answer(), 502, 'GATE_UNREACHABLE', 'The platform cannot be reached')
    } finally {
      socket.off('close', end)
    }
  }

  function renew(question: GateInput, signal: AbortSignal, end: () => void): Disposable {
    const timer = setInterval(async () => {
      const verdict = await ask(gate, question, signal).catch(() => undefined)
      if (verdict && 'refusal' in verdict && shut.has(verdict.refusal.status)) end()
    }, renewEveryMs)
    return { [Symbol.dispose]: () => clearInterval(timer) }
  }

  /** The last response started on each connection, which also ends last. */
  const answers = new WeakMap<Socket, ServerResponse>()
  const server = createServer(
    { maxHeaderSize, headersTimeout: headersTimeoutMs, connectionsCheckingInterval: 1000 },
    (request, response) => {
      answers.set(request.socket, response)
      const pass = (admission: Admission) => forwarder.request(request, response, admission)
      serve(request, request.socket, () => response, pass).catch(() => response.destroy())
    },
  )
  server.on('upgrade', (request, duplex, head) => {
    const socket = duplex as Socket
    // A client that disconnects while the gate is asked must not crash the process.
    socket.on('error', () => socket.destroy())
    // Another response is still being written to this socket. A correct client waits for it before it requests an upgrade.
    if (answers.get(socket)?.closed === false) return void socket.destroy()
    const pass = (admission: Admission) => forwarder.upgrade(request, socket, head, admission)
    serve(request, socket, () => answerOn(socket, request), pass).catch(() => socket.destroy())
  })
  const port = await listen(server, options.port)
  return {
    port,
    async close(graceMs) {
      closing.abort()
      forwarder.close()
      await closeServer(server, graceMs)
      gate.agent.destroy()
    },
  }
}

/** Requires one Host header and an origin-form path. Two parties could interpret anything else differently. */
function isPlain({ rawHeaders, url = '' }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
  return hosts.length === 1 && url.startsWith('/')
}
