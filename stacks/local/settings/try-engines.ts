import { SettingsError, type StackSettings } from './settings.ts'

const patienceMs = 5000
const variables = {
  dynamodb: 'DYNAMODB_ENDPOINT',
  sqs: 'SQS_ENDPOINT',
  ecs: 'ECS_ENDPOINT',
} as const

/** Checks that the configured engines respond. @throws SettingsError that names every one that does not */
export async function tryEngines(engines: StackSettings['engines']): Promise<void> {
  const problems = await Promise.all(
    Object.entries(variables).map(async ([engine, variable]) => {
      const endpoint = engines[engine as keyof typeof variables]
      const why = endpoint === undefined ? undefined : await silence(endpoint)
      if (why === undefined) return []
      return `${variable}: nothing answers at ${endpoint} (${why}). Start that engine, or unset ${variable} to use the embedded one`
    }),
  )
  const lines = problems.flat()
  if (lines.length > 0) throw new SettingsError(lines.join('\n'))
}

/** Returns why an engine does not respond. Any HTTP response counts, because engines reject strangers in different ways. */
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
