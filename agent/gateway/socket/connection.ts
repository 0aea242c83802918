import { randomUUID } from 'node:crypto'
import type { RawData, WebSocket } from 'ws'
import type { Agent } from '../chat/complete.ts'
import { parseJson } from '../http/input.ts'
import { Problem, callerDisconnected, toProblem } from '../http/problem.ts'
import type { Log } from '../log.ts'
import type { Counters } from '../stats.ts'
import { stopping, type Work } from '../work.ts'
import { idOf, readSocketMessage } from './message.ts'
import { runSocketTurn } from './turn.ts'

export interface Services {
  agent: Agent
  work: Work
  counters: Counters
  log: Log
}

/** The maximum number of concurrent messages of a connection. */
const maxAtOnce = 4

/** The limit of unread responses, including refusals, so that a client that reads none cannot fill the agent's memory. */
const maxUnanswered = 100

/** WebSocket's close code for a policy violation. */
const policyViolation = 1008

/** Answers the messages of a connection. Every response has its message's `id`. */
export function answerMessages(socket: WebSocket, services: Services): void {
  const { agent, work, counters, log } = services
  const { agentId, agentName } = agent.settings
  let answering = 0
  const disconnect = new AbortController()

  const send = (message: object): Promise<void> =>
    new Promise((resolve, reject) => {
      socket.send(JSON.stringify(message), (error) =>
        error ? reject(callerDisconnected) : resolve(),
      )
    })

  const answer = async (data: RawData, startedAt: number): Promise<void> => {
    const requestId = randomUUID()
    const { controller, done } = work.begin()
    let id: ReturnType<typeof idOf> = null
    let failure: unknown
    try {
      const frame = parseJson(String(data))
      id = idOf(frame)
      const input = readSocketMessage(frame)
      if (work.draining) throw stopping
      if (answering > maxAtOnce) throw tooMany()
      const message = await runSocketTurn(agent, input, {
        requestId,
        signal: AbortSignal.any([controller.signal, disconnect.signal]),
        left: () => socket.readyState !== socket.OPEN,
        tell: (content) => send({ type: 'delta', id, content }),
      })
      await send({ type: 'done', id, session: input.session ?? null, message })
    } catch (error) {
      failure = error
      // A client that has disconnected receives nothing more.
      await send({ type: 'error', id, ...toProblem(error).body }).catch(() => {})
    } finally {
      done()
    }
    const ms = Math.round(performance.now() - startedAt)
    const status = failure === undefined ? 200 : toProblem(failure).status
    counters.count({ failed: failure !== undefined, ms })
    log.request({ requestId, method: 'MESSAGE', path: '/', status, ms, failure })
  }

  socket.on('error', (error) => log.info(`A connection failed: ${error.message}`))
  socket.once('close', () => disconnect.abort(callerDisconnected))
  socket.on('message', (data) => {
    if (socket.readyState !== socket.OPEN) return
    if (answering === maxUnanswered) return socket.close(policyViolation, 'Too many messages')
    answering += 1
    void answer(data, performance.now()).finally(() => (answering -= 1))
  })
  socket.send(JSON.stringify({ type: 'ready', agentId, agentName }))
}

const tooMany = () =>
  new Problem(429, 'too_many_messages', `At most ${maxAtOnce} messages are answered at once`)
