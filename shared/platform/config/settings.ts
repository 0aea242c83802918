import * as z from 'zod'

const seconds = (fallback: number) => z.coerce.number().min(0).max(86_400).default(fallback)
const count = (fallback: number) => z.coerce.number().int().min(1).max(1000).default(fallback)
const url = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ''))
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )

/** The settings that functions read: names and meanings are those of the configuration table in README.md. */
export const settingsSchema = z.object({
  PLATFORM_STAGE: z.string().min(1).default('local'),
  FUNCTION_NAME: z.string().default('unnamed'),

  TABLE_NAME: z.string().default('platform'),
  CLUSTER: z.string().default('platform'),
  TASK_FAMILY_PREFIX: z.string().default(''),
  SUBNETS: list,
  SECURITY_GROUP: list,
  DYNAMODB_ENDPOINT: url.optional(),
  SQS_ENDPOINT: url.optional(),
  ECS_ENDPOINT: url.optional(),
  SES_ENDPOINT: url.optional(),

  ADMIN_EMAILS: list.transform((emails) => emails.map((email) => email.toLowerCase())),
  INTERNAL_API_KEY: z.string().min(1).optional(),
  ORIGIN_SECRET: z.string().min(1).optional(),
  WALLET_ENCRYPTION_KEY: z.string().min(32).optional(),
  WEB_URL: url.default('http://localhost:3000'),
  BACKEND_URL: url.default('http://localhost:3001'),
  SUMMARIZER_URL: url.default('http://localhost:3100'),
  AGENTS_DOMAIN: z.string().min(1).default('agents.localhost:3002'),
  EMAIL_FROM: z.string().min(3).optional(),
  KILL_SWITCH: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  RATE_LIMITS: z.enum(['on', 'off']).default('on'),

  AGENT_IMAGE: z.string().min(1).default('ghcr.io/openclaw/openclaw:2026.9.6'),
  AI_BASE_URL: url.optional(),
  AI_API_KEY: z.string().min(1).optional(),
  AI_PROVIDERS: z.string().optional(),
  AI_MODEL_TIMEOUT_MS: z.coerce.number().int().min(1).max(900_000).default(30_000),
  STAND_IN_PROVIDER_URL: url.optional(),

  WATCHDOG_AUTO_REPAIR: z
    .string()
    .default('true')
    .transform((text) => text !== 'false'),
  WATCHDOG_CHECK_INTERVAL: seconds(120),
  WATCHDOG_DEGRADED_CHECK_INTERVAL: seconds(5),
  WATCHDOG_STARTUP_FAILURE_THRESHOLD: count(3),
  WATCHDOG_MAX_REPAIR_ATTEMPTS: count(2),
  WATCHDOG_CRASH_LOOP_WINDOW: seconds(300),
  WATCHDOG_CRASH_LOOP_THRESHOLD: count(3),
  WATCHDOG_REPAIR_STOP_WAIT: seconds(5),
  WATCHDOG_REPAIR_START_WAIT: seconds(30),

  NOTIFY_CHAT_API_URL: url.optional(),
  NOTIFY_CHAT_BOT_TOKEN: z.string().min(1).optional(),
  NOTIFY_CHAT_ADMIN_ID: z.string().min(1).optional(),
  NOTIFY_TEAM_WEBHOOK_URL: url.optional(),
})

export type Settings = z.output<typeof settingsSchema>
