/** What a setting takes, for a person who has given something else. */
export interface Allowed {
  takes: string
  example: string
  /** What was given may be repeated: it is no secret, nor a place where one is pasted by mistake. */
  shown?: true
}

const port = (example: string): Allowed => ({
  takes: 'a port from 0 to 65535, where 0 picks a free one',
  example,
  shown: true,
})
const place = (example: string): Allowed => ({
  takes: 'an address that begins with http:// or https://',
  example,
})
const ownPlace = (example: string): Allowed => ({ ...place(example), shown: true })
const oneOf = (first: string, second: string): Allowed => ({
  takes: `${first} or ${second}`,
  example: first,
  shown: true,
})
const seconds = (example: string): Allowed => ({
  takes: 'seconds, from 0 to 86400',
  example,
  shown: true,
})
const count = (example: string): Allowed => ({
  takes: 'a whole number from 1 to 1000',
  example,
  shown: true,
})
const contract: Allowed = {
  takes: '0x and 40 hex digits',
  example: '0x20c0000000000000000000000000000000000000',
}

/** Every setting that can be wrong; the meanings are those of the configuration table in README.md. */
export const allowed: Partial<Record<string, Allowed>> = {
  WEB_PORT: port('3000'),
  BACKEND_PORT: port('3001'),
  SUMMARIZER_PORT: port('3100'),
  AGENTS_PORT: port('3002'),
  AGENT_RUNTIME: oneOf('embedded', 'openclaw'),
  LOCAL_ACCESS_KEY_ID: { takes: '1 to 128 letters and digits', example: 'LOCL0123' },
  DYNAMODB_ENDPOINT: ownPlace('http://127.0.0.1:8000'),
  SQS_ENDPOINT: ownPlace('http://127.0.0.1:9324'),
  ECS_ENDPOINT: ownPlace('http://127.0.0.1:5000'),
  WEB_URL: ownPlace('https://example.com'),
  BACKEND_URL: ownPlace('https://api.example.com'),
  SUMMARIZER_URL: ownPlace('https://summarizer.example.com'),
  ROUTER_SECRET: { takes: '32 characters or more', example: '"$(openssl rand -hex 32)"' },
  WALLET_ENCRYPTION_KEY: {
    takes: '32 characters or more',
    example: '"$(openssl rand -base64 32)"',
  },
  ADMIN_EMAILS: {
    takes: 'email addresses with commas between them',
    example: 'ada@example.com,bob@example.com',
    shown: true,
  },
  EMAIL_FROM: { takes: 'an email address', example: 'platform@example.com', shown: true },
  KILL_SWITCH: oneOf('true', 'false'),
  RATE_LIMITS: oneOf('on', 'off'),

  AI_BASE_URL: place('https://openrouter.ai/api/v1'),
  AI_PROVIDERS: {
    takes: 'JSON, a base URL and a key for each name',
    example: `'{"mine":{"baseUrl":"https://models.example.com/v1","apiKey":"…"}}'`,
  },
  AI_MODEL_TIMEOUT_MS: {
    takes: 'milliseconds, from 1 to 900000',
    example: '30000',
    shown: true,
  },
  DEMO_SPEND_CAP_USD: { takes: 'USD, from 0 to 1000000', example: '20', shown: true },

  IDP_ISSUER: place('https://accounts.example.com'),
  IDP_RISC_CONFIGURATION_URL: place('https://accounts.example.com/.well-known/risc-configuration'),
  CODEHOST_BASE_URL: place('https://github.com'),
  CODEHOST_API_URL: place('https://api.github.com'),
  EVM_RPC_URL: place('https://mainnet.base.org'),
  EVM_CHAIN_ID: { takes: 'a whole number from 1 on', example: '8453', shown: true },
  TEMPO_RPC_URL: place('https://rpc.example.com'),
  PATHUSD_ADDRESS: contract,
  CLONE_PAY_TO: contract,
  FETCH_ALLOW_HOSTS: {
    takes: 'host:port, the port always written, with commas between them',
    example: 'localhost:4000,127.0.0.1:8545',
    shown: true,
  },
  FARCASTER_AUTH_ISSUER: place('https://auth.farcaster.xyz'),
  FARCASTER_RPC_URL: place('https://rpc.example.com'),
  TOKEN_GATE_ADDRESS: contract,
  TOKEN_GATE_MINIMUM: { takes: 'a whole number from 1 on', example: '1', shown: true },

  WATCHDOG_AUTO_REPAIR: oneOf('true', 'false'),
  WATCHDOG_CHECK_INTERVAL: seconds('120'),
  WATCHDOG_DEGRADED_CHECK_INTERVAL: seconds('5'),
  WATCHDOG_STARTUP_FAILURE_THRESHOLD: count('3'),
  WATCHDOG_MAX_REPAIR_ATTEMPTS: count('2'),
  WATCHDOG_CRASH_LOOP_WINDOW: seconds('300'),
  WATCHDOG_CRASH_LOOP_THRESHOLD: count('3'),
  WATCHDOG_REPAIR_STOP_WAIT: seconds('5'),
  WATCHDOG_REPAIR_START_WAIT: seconds('30'),
  NOTIFY_CHAT_API_URL: place('https://api.telegram.org'),
  NOTIFY_TEAM_WEBHOOK_URL: place('https://hooks.example.com/…'),
}

/** What is wrong with a setting, in a line that a person can act on. */
export function explain(name: string, value: string | undefined, message: string): string {
  const known = allowed[name]
  if (known === undefined) return `${name}: ${message}`
  const { takes, example, shown } = known
  const given = shown && value !== undefined ? `, not ${JSON.stringify(value.slice(0, 60))}` : ''
  return `${name}: must be ${takes}${given}. Example: ${name}=${example}`
}
