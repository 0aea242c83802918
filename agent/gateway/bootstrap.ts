import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import { askPlatform } from './ask-platform.ts'
import { type Environment, SettingsError } from './settings.ts'
import { waitForAgent } from './warm.ts'

/** The configuration of a process at its start. */
export interface StartConfig {
  /** The variables in the environment table of agent/README.md. */
  environment: Environment
  /** The user's own variables. They are for programs that the agent runs, never for this process. */
  credentials: Readonly<Record<string, string>>
}

/** The time limit for the start. The platform waits a little longer: its health check's start period and retries. */
const giveUpMs = 120_000
const firstPauseMs = 100
const longestPauseMs = 5000

/**
 * Fetches tokens, keys, prompt and credentials from the platform. They are not in the environment, because everyone who
 * may describe a task can read that. The platform returns them only once. Each attempt sends the same nonce, so that
 * the platform recognizes a retry after a lost response. A container of the warm pool first waits for its agent.
 * Without AGENT_BOOTSTRAP_TOKEN, the environment is complete.
 * @throws SettingsError if the platform refuses or is unreachable for two minutes
 */
export async function bootstrap(startVariables: Environment): Promise<StartConfig> {
  const environment =
    startVariables['AGENT_WARM_ID'] === undefined
      ? startVariables
      : await waitForAgent(startVariables)
  const {
    AGENT_BOOTSTRAP_TOKEN: token,
    AGENT_BOOTSTRAP_URL: url = '',
    ...ownEnvironment
  } = environment
  if (token === undefined) return { environment: ownEnvironment, credentials: {} }
  if (!URL.canParse(url)) throw new SettingsError('AGENT_BOOTSTRAP_URL must be an http(s) address')
  const question = {
    agentId: ownEnvironment['AGENT_ID'],
    generation: Number(ownEnvironment['AGENT_GENERATION']),
    nonce: randomBytes(32).toString('base64url'),
  }
  const deadline = performance.now() + giveUpMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const outcome = await askPlatform(url, { token, question, schema: answerSchema })
    if (typeof outcome === 'object')
      return {
        environment: { ...ownEnvironment, ...outcome.variables },
        credentials: outcome.credentials,
      }
    if (performance.now() + pauseMs > deadline)
      throw new SettingsError(`the platform did not return the configuration: ${outcome}`)
    // Random, so that agents that start together do not retry together.
    await delay(pauseMs * (0.5 + Math.random()))
  }
}

const answerSchema = z.object({
  variables: z.record(z.string(), z.string()),
  credentials: z.record(z.string(), z.string()),
})
