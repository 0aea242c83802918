import { SettingsError, type StackSettings } from './settings.ts'

const patienceMs = 5000
const variables = {
  dynamodb: 'DYNAMODB_ENDPOINT',
  sqs: 'SQS_ENDPOINT',
  ecs: 'ECS_ENDPOINT',
} as const

/** Asks whether anybody answers where the environment names engines. @throws SettingsError that names every one that does not */
export async function tryEngines(engines: StackSettings['engines']): Promise<void> {
  const problems = await Promise.all(
    Object.entries(variables).map(async ([engine, variable]) => {
      const endpoint = engines[engine as keyof typeof variables]
      const why = endpoint === undefined ? undefined : await silence(endpoint)
      if (why === undefined) return []
      return `${variable}: nothing answers at ${endpoint} (${why}); without ${variable} the embedded engine runs`
    }),
  )
  const lines = problems.flat()
  if (lines.length > 0) throw new SettingsError(lines.join('\n'))
}

/** Why nothing was answered; any answer at all is one, since each engine has words of its own for a stranger. */
async function silence(endpoint: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const answer = await fetch(endpoint, { signal, redirect: 'manual' })
    await answer.body?.cancel()
    return undefined
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const { cause } = error
    if (cause instanceof Error && 'code' in cause) return String(cause.code)
    return cause instanceof Error ? cause.message : error.message
  }
}
