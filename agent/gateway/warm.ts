import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import { askPlatform } from './ask-platform.ts'
import { agentHeader } from './routes/health.ts'
import { type Environment, SettingsError } from './settings.ts'

/** How often a container asks for itself, where nobody tells it that it has an agent. */
const askEveryMs = 20_000
const firstPauseMs = 500

const answerSchema = z.object({
  start: z.object({ agentId: z.string(), generation: z.number(), token: z.string() }).nullable(),
})

/**
 * Waits in the platform's pool until the container has an agent: asks for it when it is told to at its port, and every now and
 * then by itself. What it is told to its port it does not believe: only the platform's answer to its own question counts.
 * @returns the environment of the agent's start
 * @throws SettingsError where the platform does not want the container any more
 */
export async function untilWanted(environment: Environment): Promise<Environment> {
  const {
    AGENT_WARM_ID: warmId = '',
    AGENT_BOOTSTRAP_URL: url = '',
    AGENT_BOOTSTRAP_TOKEN: token = '',
    ...given
  } = environment
  if (!URL.canParse(url)) throw new SettingsError('AGENT_BOOTSTRAP_URL must be an http(s) address')
  const question = { warmId, nonce: randomBytes(32).toString('base64url') }
  await using door = await Door.open(environment, warmId)
  for (let retryMs = firstPauseMs; ;) {
    const answer = await askPlatform(`${url}/warm`, { token, question, schema: answerSchema })
    if (typeof answer === 'object' && answer.start !== null) {
      const { agentId, generation, token: own } = answer.start
      return {
        ...given,
        AGENT_ID: agentId,
        AGENT_GENERATION: String(generation),
        AGENT_BOOTSTRAP_URL: url,
        AGENT_BOOTSTRAP_TOKEN: own,
      }
    }
    const isAnswered = typeof answer === 'object'
    // Containers that start together do not come back together.
    await door.knock((isAnswered ? askEveryMs : retryMs) * (0.5 + Math.random() / 2))
    retryMs = isAnswered ? firstPauseMs : Math.min(retryMs * 2, askEveryMs)
  }
}

/** The container's port while it waits: it says that it lives, and hears that it is wanted. */
class Door implements AsyncDisposable {
  readonly #server: Server
  #knocked = Promise.withResolvers<void>()

  private constructor(warmId: string) {
    this.#server = createServer((request, response) => {
      // The name tells the platform that this is not yet the agent which it was given.
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

  /** Waits until somebody knocks, but no longer than that. */
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
