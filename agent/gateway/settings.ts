import * as z from 'zod'

/** The environment is invalid. The message names every invalid variable, but no value. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

export type Environment = Readonly<Record<string, string | undefined>>

const text = z.string('is required')
const whole = (most: number, fallback: number) =>
  z.coerce.number().int().min(0).max(most).default(fallback)

/** Comma-separated ids of a chat service. */
const ids = text
  .regex(/^\d{1,20}(,\d{1,20})*$/, 'must be comma-separated numbers')
  .transform((list) => list.split(','))
  .default([])

/** The environment table of agent/README.md. */
const schema = z
  .object({
    AGENT_ID: text,
    AGENT_NAME: text.optional(),
    AGENT_GENERATION: whole(1_000_000_000, 1),
    GATEWAY_TOKEN: text.min(16, 'must have at least 16 characters'),
    GATEWAY_HOST: text.default('127.0.0.1'),
    GATEWAY_PORT: whole(65_535, 18_789),
    AI_BASE_URL: z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }),
    AI_API_KEY: text,
    AI_MODEL: text.optional(),
    AI_TIMEOUT_MS: whole(3_600_000, 120_000),
    AGENT_BUS: z.literal('1').optional(),
    AGENT_MCP: z.literal('1').optional(),
    AGENT_CONNECTIONS: z.literal('1').optional(),
    AGENT_FILES: z.literal('1').optional(),
    AGENT_ON_HANG: z.enum(['kill', 'report']).default('kill'),
    SYSTEM_PROMPT: text.optional(),
    DISCORD_BOT_TOKEN: text.optional(),
    DISCORD_SENDERS: ids,
    WORKSPACE_DIR: text,
    SHUTDOWN_GRACE_MS: whole(600_000, 10_000),
    /** ECS sets it in each container of a task, which has a network of its own. */
    ECS_CONTAINER_METADATA_URI_V4: text.optional(),
  })
  .transform((env) => ({
    agentId: env.AGENT_ID,
    agentName: env.AGENT_NAME ?? env.AGENT_ID,
    generation: env.AGENT_GENERATION,
    token: env.GATEWAY_TOKEN,
    host: env.GATEWAY_HOST,
    port: env.GATEWAY_PORT,
    ai: {
      baseUrl: new URL(env.AI_BASE_URL),
      apiKey: env.AI_API_KEY,
      model: env.AI_MODEL,
      timeoutMs: env.AI_TIMEOUT_MS,
    },
    /** The action on a process that hangs. */
    onHang: env.AGENT_ON_HANG,
    /** True if the agent may write to other agents and read their messages. */
    bus: env.AGENT_BUS !== undefined,
    /** The MCP endpoint with the agent's own memory, schedules and usage; undefined if it may not use them. */
    mcp: env.AGENT_MCP && new URL('/mcp', env.AI_BASE_URL),
    /** The platform's endpoint of connections to other services. */
    connections: new URL('/connections', env.AI_BASE_URL),
    /** True if the agent had connections when it started. */
    hasConnections: env.AGENT_CONNECTIONS !== undefined,
    /** True if the platform stores the agent's files. */
    files: env.AGENT_FILES !== undefined,
    /** The platform's endpoint that checks the leases of connections. */
    leases: { url: new URL('/api/gate/lease', env.AI_BASE_URL) },
    systemPrompt: env.SYSTEM_PROMPT,
    /** The chat services with a token. The token itself is read from the environment by the code that signs in. */
    channels: { discord: env.DISCORD_BOT_TOKEN !== undefined },
    /** The senders that may write to the bots. Any other sender gets a code for the owner to approve. */
    senders: { discord: env.DISCORD_SENDERS },
    workspace: env.WORKSPACE_DIR,
    shutdownGraceMs: env.SHUTDOWN_GRACE_MS,
    /** True if the network counters cover only this container. */
    ownNetwork: env.ECS_CONTAINER_METADATA_URI_V4 !== undefined,
  }))

/** The settings of one gateway process. Nothing is read from the environment after the start. */
export type Settings = z.output<typeof schema>

/**
 * Parses the environment.
 * @throws SettingsError that names each missing or invalid variable
 */
export function readSettings(environment: Environment): Settings {
  const { data, error } = schema.safeParse(withoutBlanks(environment))
  if (error === undefined) return data
  const problems = error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)
  throw new SettingsError(problems.join('; '))
}

/** Drops blank variables and trims the others. */
export function withoutBlanks(environment: Environment): Record<string, string> {
  const trimmed = Object.entries(environment).map(([name, value = '']) => [name, value.trim()])
  return Object.fromEntries(trimmed.filter(([, value]) => value !== ''))
}
