import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import { type Environment, SettingsError } from './settings.ts'

/** What a process is told at its start. */
export interface Told {
  /** The environment table of agent/README.md. */
  environment: Environment
  /** The user's own variables. They are for what the agent runs, and never for the process that reads them. */
  credentials: Readonly<Record<string, string>>
}

/** The platform waits for a container's first answer a little longer than this: the health check's start and retries. */
const giveUpMs = 120_000
const tryMs = 10_000
const firstPauseMs = 100
const longestPauseMs = 5000

/**
 * Fetches what the environment does not hold because everybody who may look at a task reads that: tokens, keys, prompt,
 * credentials. The platform hands them out once, so each try brings the same number made up here, by which the platform
 * knows a try whose answer was lost. Without AGENT_BOOTSTRAP_TOKEN the environment is all there is.
 * @throws SettingsError where the platform refuses, or is not reached within two minutes
 */
export async function bootstrap(environment: Environment): Promise<Told> {
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
    const outcome = await ask(url, token, question)
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

type Answer = z.infer<typeof answerSchema>

/**
 * @returns why to try again, where that may help
 * @throws SettingsError where the platform says that it never will
 */
async function ask(url: string, token: string, question: object): Promise<Answer | string> {
  let status: number
  let text: string
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(question),
      redirect: 'error',
      signal: AbortSignal.timeout(tryMs),
    })
    status = answer.status
    text = await answer.text()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  if (status === 400 || status === 401)
    throw new SettingsError(`the platform refused this start with ${status}`)
  if (status !== 200) return `it answered ${status}`
  return readAnswer(text) ?? 'its answer is no environment'
}

function readAnswer(text: string): Answer | undefined {
  try {
    return answerSchema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
