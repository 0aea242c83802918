import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import { askPlatform } from './ask-platform.ts'
import { type Environment, SettingsError } from './settings.ts'
import { untilWanted } from './warm.ts'

/** What a process is told at its start. */
export interface Told {
  /** The environment table of agent/README.md. */
  environment: Environment
  /** The user's own variables. They are for what the agent runs, and never for the process that reads them. */
  credentials: Readonly<Record<string, string>>
}

/** The platform waits for a container's first answer a little longer than this: the health check's start and retries. */
const giveUpMs = 120_000
const firstPauseMs = 100
const longestPauseMs = 5000

/**
 * Fetches what the environment does not hold because everybody who may look at a task reads that: tokens, keys, prompt,
 * credentials. The platform hands them out once, so each try brings the same number made up here, by which the platform
 * knows a try whose answer was lost. A container of the pool first waits until it has an agent. Without AGENT_BOOTSTRAP_TOKEN the environment is all there is.
 * @throws SettingsError where the platform refuses, or is not reached within two minutes
 */
export async function bootstrap(told: Environment): Promise<Told> {
  const environment = told['AGENT_WARM_ID'] === undefined ? told : await untilWanted(told)
  const { AGENT_BOOTSTRAP_TOKEN: token, AGENT_BOOTSTRAP_URL: url = '', ...given } = environment
  if (token === undefined) return { environment: given, credentials: {} }
  if (!URL.canParse(url)) throw new SettingsError('AGENT_BOOTSTRAP_URL must be an http(s) address')
  const question = {
    agentId: given['AGENT_ID'],
    generation: Number(given['AGENT_GENERATION']),
    nonce: randomBytes(32).toString('base64url'),
  }
  const deadline = performance.now() + giveUpMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const outcome = await askPlatform(url, { token, question, schema: answerSchema })
    if (typeof outcome === 'object')
      return { environment: { ...given, ...outcome.variables }, credentials: outcome.credentials }
    if (performance.now() + pauseMs > deadline)
      throw new SettingsError(`the platform does not say what to run by: ${outcome}`)
    // Agents that start together do not come back together.
    await delay(pauseMs * (0.5 + Math.random()))
  }
}

const answerSchema = z.object({
  variables: z.record(z.string(), z.string()),
  credentials: z.record(z.string(), z.string()),
})
