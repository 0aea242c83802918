import * as z from 'zod'

/**
 * A setting: how it is read where it is given, and what holds where it is not. Schemas are made only for what is
 * given: making all of them would cost every cold start an eighth of its import time.
 */
interface Setting<Value, Absent> {
  schema: () => z.ZodType<Value>
  absent: Absent
}

function setting<Value, Absent>(
  schema: () => z.ZodType<Value>,
  absent: Absent,
): Setting<Value, Absent> {
  return { schema, absent }
}

const text = () => z.string().min(1)
const secret = () => z.string().min(32)
const flag = () => z.enum(['true', 'false']).transform((value) => value === 'true')
const seconds = () => z.coerce.number().min(0).max(86_400)
const count = () => z.coerce.number().int().min(1).max(1000)
const url = () =>
  z.url({ protocol: /^https?$/ }).transform((address) => address.replace(/\/+$/, ''))
/** An issuer is compared letter by letter, its last slash included. */
const issuer = () => z.url({ protocol: /^https?$/ })
const list = () => z.string().transform(parts)
const address = () => z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits')
/** A host's name or address as a URL has it, and a port. */
const hostPort = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]):[1-9]\d{0,4}$/
const hostPorts = () =>
  z
    .string()
    .transform((value) => parts(value.toLowerCase()))
    .refine((each) => each.every(isHostPort), 'must be host:port, with commas between them')
const emails = () =>
  z
    .string()
    .transform((value) => parts(value.toLowerCase()))
    .refine((each) => each.every((email) => email.includes('@')), 'must be email addresses')

const providers = () =>
  text().refine(namesProviders, 'must be JSON: {"name": {"baseUrl": "…", "apiKey": "…"}}')

function isHostPort(text: string): boolean {
  return hostPort.test(text) && URL.canParse(`http://${text}`)
}

/** Only the form; the AI gateway reads what is in it. */
function namesProviders(value: string): boolean {
  const provider = z.looseObject({ baseUrl: z.url() })
  try {
    return z.record(z.string(), provider).safeParse(JSON.parse(value)).success
  } catch {
    return false
  }
}

function parts(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}

/** The settings that functions read: names and meanings are those of the configuration table in README.md. */
export const settings = {
  PLATFORM_STAGE: setting(text, 'local'),
  FUNCTION_NAME: setting(text, 'unnamed'),

  TABLE_NAME: setting(text, 'platform'),
  CLUSTER: setting(text, 'platform'),
  TASK_FAMILY_PREFIX: setting(text, ''),
  SUBNETS: setting(list, []),
  SECURITY_GROUP: setting(list, []),
  DYNAMODB_ENDPOINT: setting(url, undefined),
  SQS_ENDPOINT: setting(url, undefined),
  ECS_ENDPOINT: setting(url, undefined),
  SES_ENDPOINT: setting(url, undefined),
  AGENT_LOG_GROUP: setting(text, 'agents'),
  LOGS_ENDPOINT: setting(url, undefined),

  ADMIN_EMAILS: setting(emails, []),
  INTERNAL_API_KEY: setting(text, undefined),
  ORIGIN_SECRET: setting(text, undefined),
  ROUTER_SECRET: setting(secret, undefined),
  WALLET_ENCRYPTION_KEY: setting(secret, undefined),
  WEB_URL: setting(url, 'http://localhost:3000'),
  BACKEND_URL: setting(url, 'http://localhost:3001'),
  SUMMARIZER_URL: setting(url, 'http://localhost:3100'),
  AGENTS_DOMAIN: setting(text, 'agents.localhost:3002'),
  EMAIL_FROM: setting(() => z.string().includes('@'), undefined),
  KILL_SWITCH: setting(flag, false),
  RATE_LIMITS: setting(() => z.enum(['on', 'off']), 'on' as const),

  IDP_ISSUER: setting(issuer, undefined),
  IDP_CLIENT_ID: setting(list, []),
  IDP_CLIENT_SECRET: setting(text, undefined),
  IDP_RISC_CONFIGURATION_URL: setting(url, undefined),
  CODEHOST_BASE_URL: setting(url, undefined),
  CODEHOST_API_URL: setting(url, undefined),
  CODEHOST_CLIENT_ID: setting(text, undefined),
  CODEHOST_CLIENT_SECRET: setting(text, undefined),
  EVM_RPC_URL: setting(url, undefined),
  EVM_CHAIN_ID: setting(() => z.coerce.number().int().min(1), 8453),
  TEMPO_RPC_URL: setting(url, undefined),
  PATHUSD_ADDRESS: setting(address, undefined),
  CLONE_PAY_TO: setting(address, undefined),
  FARCASTER_AUTH_ISSUER: setting(url, undefined),
  FARCASTER_RPC_URL: setting(url, undefined),
  TOKEN_GATE_ADDRESS: setting(address, undefined),
  TOKEN_GATE_MINIMUM: setting(() => z.coerce.bigint().min(1n), 1n),

  FETCH_ALLOW_HOSTS: setting(hostPorts, []),

  AGENT_IMAGE: setting(text, 'ghcr.io/openclaw/openclaw:2026.9.6'),
  AI_BASE_URL: setting(url, undefined),
  AI_API_KEY: setting(text, undefined),
  AI_PROVIDERS: setting(providers, undefined),
  AI_MODEL_TIMEOUT_MS: setting(() => z.coerce.number().int().min(1).max(900_000), 30_000),
  DEMO_SPEND_CAP_USD: setting(() => z.coerce.number().min(0).max(1_000_000), undefined),
  STAND_IN_PROVIDER_URL: setting(url, undefined),

  WATCHDOG_AUTO_REPAIR: setting(flag, true),
  WATCHDOG_CHECK_INTERVAL: setting(seconds, 120),
  WATCHDOG_DEGRADED_CHECK_INTERVAL: setting(seconds, 5),
  WATCHDOG_STARTUP_FAILURE_THRESHOLD: setting(count, 3),
  WATCHDOG_MAX_REPAIR_ATTEMPTS: setting(count, 2),
  WATCHDOG_CRASH_LOOP_WINDOW: setting(seconds, 300),
  WATCHDOG_CRASH_LOOP_THRESHOLD: setting(count, 3),
  WATCHDOG_REPAIR_STOP_WAIT: setting(seconds, 5),
  WATCHDOG_REPAIR_START_WAIT: setting(seconds, 30),

  NOTIFY_CHAT_API_URL: setting(url, undefined),
  NOTIFY_CHAT_BOT_TOKEN: setting(text, undefined),
  NOTIFY_CHAT_ADMIN_ID: setting(text, undefined),
  NOTIFY_TEAM_WEBHOOK_URL: setting(url, undefined),
} as const

type Declared = typeof settings

export type Settings = {
  [Name in keyof Declared]: Declared[Name] extends Setting<infer Value, infer Absent>
    ? Absent extends never[]
      ? Value
      : Value | Widened<Absent>
    : never
}

/** A default of 120 is a number like any other. */
type Widened<Absent> = Absent extends string
  ? never
  : Absent extends number
    ? never
    : Absent extends boolean
      ? never
      : Absent

/** The settings of an environment, and what is wrong with them: names and reasons, never values. */
export function readSettings(given: Record<string, string | undefined>): {
  settings: Settings
  problems: { name: string; message: string }[]
} {
  const problems: { name: string; message: string }[] = []
  const read: Record<string, unknown> = {}
  for (const [name, { schema, absent }] of Object.entries(settings)) {
    const value = given[name]
    read[name] = absent
    // An empty variable counts as absent.
    if (value === undefined || value === '') continue
    const parsed = schema().safeParse(value)
    if (parsed.success) read[name] = parsed.data
    else problems.push({ name, message: parsed.error.issues[0]?.message ?? 'is wrong' })
  }
  return { settings: read as Settings, problems }
}
