import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import { askPlatform } from './ask-platform.ts'
import { agentHeader } from './routes/health.ts'
import { type Environment, SettingsError } from './settings.ts'

/** The interval of the container's own requests, in case the notification does not arrive. */
const askEveryMs = 20_000
const firstPauseMs = 500

const answerSchema = z.object({
  start: z.object({ agentId: z.string(), generation: z.number(), token: z.string() }).nullable(),
})

/**
 * Waits in the platform's pool until the container has an agent. It asks the platform when its port is called, and
 * periodically. It does not trust the call itself: only the platform's response to its own request counts.
 * @returns the environment of the agent's start
 * @throws SettingsError if the platform no longer wants the container
 */
export async function waitForAgent(environment: Environment): Promise<Environment> {
  const {
    AGENT_WARM_ID: warmId = '',
    AGENT_BOOTSTRAP_URL: url = '',
    AGENT_BOOTSTRAP_TOKEN: token = '',
    ...ownEnvironment
  } = environment
  if (!URL.canParse(url)) throw new SettingsError('AGENT_BOOTSTRAP_URL must be an http(s) address')
  const question = { warmId, nonce: randomBytes(32).toString('base64url') }
  await using door = await Door.open(environment, warmId)
  for (let retryMs = firstPauseMs; ;) {
    const answer = await askPlatform(`${url}/warm`, { token, question, schema: answerSchema })
    if (typeof answer === 'object' && answer.start !== null) {
      const { agentId, generation, token: own } = answer.start
      return {
        ...ownEnvironment,
        AGENT_ID: agentId,
        AGENT_GENERATION: String(generation),
        AGENT_BOOTSTRAP_URL: url,
        AGENT_BOOTSTRAP_TOKEN: own,
      }
    }
    const isAnswered = typeof answer === 'object'
    // Random, so that containers that start together do not ask together.
    await door.knock((isAnswered ? askEveryMs : retryMs) * (0.5 + Math.random() / 2))
    retryMs = isAnswered ? firstPauseMs : Math.min(retryMs * 2, askEveryMs)
  }
}

/** The container's port while it waits: it answers the probes and receives the call that an agent is ready. */
class Door implements AsyncDisposable {
  readonly #server: Server
  #knocked = Promise.withResolvers<void>()

  private constructor(warmId: string) {
    this.#server = createServer((request, response) => {
      // This id tells the platform that the assigned agent has not started yet.
      response.setHeader(agentHeader, warmId)
      const ok = request.method === 'GET' && /^\/(?:health|ready)z$/.test(request.url ?? '')
      const knocks = request.method === 'POST' && request.url === '/start'
      if (knocks) this.#knocked.resolve()
      response.writeHead(knocks ? 202 : ok ? 200 : 404).end()
    })
  }

  static async open(environment: Environment, warmId: string): Promise<Door> {
    const door = new Door(warmId)
    const { GATEWAY_PORT: port = '18789', GATEWAY_HOST: host = '127.0.0.1' } = environment
    door.#server.listen(Number(port), host)
    await once(door.#server, 'listening')
    return door
  }

  /** Waits for a call, but no longer than `longestMs`. */
  async knock(longestMs: number): Promise<void> {
    const stop = new AbortController()
    const { signal } = stop
    await Promise.race([
      this.#knocked.promise,
      delay(longestMs, undefined, { signal }).catch(() => undefined),
    ])
    stop.abort()
    this.#knocked = Promise.withResolvers()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}
