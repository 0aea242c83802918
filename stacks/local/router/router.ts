import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { closeServer, listen } from '../server/listen.ts'
import { ask, type Gate, type Admission, type Question, questionAbout } from './ask.ts'
import { createForwarder } from './proxy.ts'
import { answerOn, fail, refuse } from './refuse.ts'

export interface RouterOptions {
  /** 0 picks a free one. */
  port: number
  /** The backend surface's address. */
  backendUrl: string
  /** ROUTER_SECRET. */
  secret: string
  /** How often a connection that stays open is asked about anew: milliseconds. */
  renewEveryMs?: number
}

export interface RunningRouter {
  port: number
  /** Takes nothing new, lets answers under way finish for `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>
}

/** Less than the 10,240 bytes that API Gateway takes, since the gate is told most of them. */
const maxHeaderSize = 8192

/** A client that has not said in this time what it wants is not going to. */
const headersTimeoutMs = 10_000

/** Half of what an agent is kept awake by one question. */
const defaultRenewEveryMs = 60_000

/** The gate's words for a client that may not pass, or no longer. */
const shut = new Set([401, 403, 404])

/**
 * The agents' hosts on this machine: each request is let through by the platform's gate and goes to its agent's
 * gateway; answers stream, WebSockets too. While a connection is open the question is repeated, which keeps the agent
 * awake and ends the connection of a client whose access was ended.
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
      if ('refusal' in verdict) return refuse(answer(), verdict.refusal)
      using _renewal = renew(question, signal, () => socket.destroy())
      await pass(verdict.admission)
    } catch {
      if (!gone.signal.aborted)
        fail(answer(), 502, 'GATE_UNREACHABLE', 'The platform cannot be reached')
    } finally {
      socket.off('close', end)
    }
  }

  function renew(question: Question, signal: AbortSignal, end: () => void): Disposable {
    const timer = setInterval(async () => {
      const verdict = await ask(gate, question, signal).catch(() => undefined)
      if (verdict && 'refusal' in verdict && shut.has(verdict.refusal.status)) end()
    }, renewEveryMs)
    return { [Symbol.dispose]: () => clearInterval(timer) }
  }

  /** The last answer that was begun on each connection, which is the last to end. */
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
    // A client that leaves while the gate is asked must not end the process.
    socket.on('error', () => socket.destroy())
    // Two would write on it at once: no client asks for another protocol before it has read its answers.
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

/** One host and a path on it: anything else, two parties could read in two ways. */
function isPlain({ rawHeaders, url = '' }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
  return hosts.length === 1 && url.startsWith('/')
}
