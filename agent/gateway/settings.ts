/** What one gateway process is told at its start; nothing is read from the environment later. */
export type Settings = {
  agentId: string
  agentName: string
  generation: number
  token: string
  host: string
  port: number
  ai: { baseUrl: URL; apiKey: string; model: string | undefined; timeoutMs: number }
  systemPrompt: string | undefined
  /** Which chat services there is a token for; the token itself is read from the environment by what signs in. */
  channels: { telegram: boolean; discord: boolean }
  workspace: string
  shutdownGraceMs: number
}

/** The environment cannot be used; the message names every variable at fault and never its value. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads and checks the environment table of agent/README.md.
 * @throws SettingsError naming each missing or malformed variable
 */
export function readSettings(environment: Environment): Settings {
  const problems: string[] = []
  const optional = (name: string): string | undefined => environment[name]?.trim() || undefined

  const required = (name: string, rule?: (value: string) => string | undefined): string => {
    const value = optional(name)
    const problem = value === undefined ? 'is required' : rule?.(value)
    if (problem !== undefined) problems.push(`${name} ${problem}`)
    return value ?? ''
  }

  const integer = (name: string, fallback: number, most: number): number => {
    const value = optional(name)
    if (value === undefined) return fallback
    if (/^\d{1,10}$/.test(value) && Number(value) <= most) return Number(value)
    problems.push(`${name} must be a whole number from 0 to ${most}`)
    return fallback
  }

  const baseUrl = required('AI_BASE_URL', (value) =>
    /^https?:$/.test(URL.parse(value)?.protocol ?? '') ? undefined : 'must be an http(s) address',
  )
  const agentId = required('AGENT_ID')
  const settings = {
    agentId,
    agentName: optional('AGENT_NAME') ?? agentId,
    generation: integer('AGENT_GENERATION', 1, 1_000_000_000),
    token: required('GATEWAY_TOKEN', (value) =>
      value.length >= 16 ? undefined : 'must have at least 16 characters',
    ),
    host: optional('GATEWAY_HOST') ?? '127.0.0.1',
    port: integer('GATEWAY_PORT', 18_789, 65_535),
    apiKey: required('AI_API_KEY'),
    timeoutMs: integer('AI_TIMEOUT_MS', 120_000, 3_600_000),
    workspace: required('WORKSPACE_DIR'),
    shutdownGraceMs: integer('SHUTDOWN_GRACE_MS', 10_000, 600_000),
  }
  if (problems.length > 0) throw new SettingsError(problems.join('; '))

  const { apiKey, timeoutMs, ...rest } = settings
  const ai = { baseUrl: new URL(baseUrl), apiKey, model: optional('AI_MODEL'), timeoutMs }
  const channels = {
    telegram: optional('TELEGRAM_TOKEN') !== undefined,
    discord: optional('DISCORD_BOT_TOKEN') !== undefined,
  }
  return { ...rest, ai, systemPrompt: optional('SYSTEM_PROMPT'), channels }
}
