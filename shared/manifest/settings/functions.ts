import { localPorts } from '../ports.ts'
import type { Setting } from './types.ts'

/** What people set for functions. One that is not secret is handed over as a plain variable, to the functions that list it. */
export const functionSettings = {
  /** The public address of the web surface. */
  WEB_URL: {
    kind: 'url',
    default: `http://localhost:${localPorts.web}`,
    example: 'https://example.com',
  },
  /** The public address of the backend. */
  BACKEND_URL: {
    kind: 'url',
    default: `http://localhost:${localPorts.backend}`,
    example: 'https://api.example.com',
  },
  /** The public address of the summarizer. */
  SUMMARIZER_URL: {
    kind: 'url',
    default: `http://localhost:${localPorts.summarizer}`,
    example: 'https://summarizer.example.com',
  },
  /** The domain, port included, below which each agent has a host of its own. */
  AGENTS_DOMAIN: { kind: 'text', default: `agents.localhost:${localPorts.agents}` },
  /** An administrator is a user with one of these addresses, verified. Deployed, they also get the alarms. */
  ADMIN_EMAILS: { kind: 'emails', default: [] },
  /** The bearer key of trusted callers of the backend; made at the first start on one machine. */
  INTERNAL_API_KEY: { kind: 'text', secret: true, required: true },
  /** What gateway tokens and agents' keys are derived from and secrets are sealed with; made at the first start on one machine. */
  WALLET_ENCRYPTION_KEY: {
    kind: 'key',
    secret: true,
    required: true,
    example: '"$(openssl rand -base64 32)"',
  },
  /** The key of KMS that seals the keys of wallets, made by the stack; on one machine WALLET_ENCRYPTION_KEY does. */
  WALLET_KMS_KEY_ID: { kind: 'text' },
  /** The secret that authenticates requests from the edge. On one machine the local proxy uses it; each start makes a new one. */
  ORIGIN_SECRET: { kind: 'text', secret: true, required: true },
  /** What the agents' router proves itself with; made at the first start on one machine. */
  ROUTER_SECRET: { kind: 'key', secret: true },
  /** `true` disables provisioning: people can neither start nor stop agents; the platform still puts idle ones to sleep. */
  KILL_SWITCH: { kind: 'flag', default: false, example: 'true' },
  /** The sender of mails; on one machine they are files in `DATA_DIR/outbox`. */
  EMAIL_FROM: { kind: 'email' },
  /** Addresses that the summarizer may fetch, and the broker ask, although they are private; ignored when deployed. */
  FETCH_ALLOW_HOSTS: { kind: 'host-ports', default: [] },
  /** Where workers look up the names of pages: DNS over HTTPS, in JSON. */
  DNS_RESOLVER_URL: { kind: 'url', default: 'https://cloudflare-dns.com/dns-query' },

  /** The routing provider: any OpenAI-compatible `/v1`. Without it one machine takes a stand-in. */
  AI_BASE_URL: { kind: 'remote-url', example: 'https://openrouter.ai/api/v1' },
  /** The key of the routing provider. */
  AI_API_KEY: { kind: 'text', secret: true },
  /** Further providers, by their names. */
  AI_PROVIDERS: { kind: 'providers', secret: true },
  /** The wait for a model's first byte, and for every gap after it. */
  AI_MODEL_TIMEOUT_MS: { kind: 'milliseconds', default: 30_000 },
  /** The models that users of each plan may call by name. It replaces the plan's whole set. Default: `shared/plans/model-sets.json`. */
  PLAN_MODELS: { kind: 'plan-models' },
  /** The models of each kind of task, in order of preference. Default: `shared/plans/model-sets.json`. */
  TASK_MODELS: { kind: 'task-models' },
  /** The six models of the demo, the default first, separated by commas or as JSON. Default: `shared/plans/model-sets.json`. */
  DEMO_MODELS: { kind: 'demo-models' },
  /**
   * The spend cap for models and videos of a user of each plan, in USD per calendar month. Users can set only lower caps.
   * Default when deployed: `network=500`. A plan that is not listed has no cap.
   */
  PLAN_SPEND_CAPS_USD: { kind: 'plan-usd', example: 'solo=60,collective=150,network=500' },
  /** The spend cap of the demo, in USD per calendar month. Default: 20 when deployed, no cap on one machine. */
  DEMO_SPEND_CAP_USD: { kind: 'usd' },

  /** The OpenID provider that people sign in by, and that sends security events. */
  IDP_ISSUER: { kind: 'issuer' },
  /** The platform's client ids at the OpenID provider; the first one signs in. */
  IDP_CLIENT_ID: { kind: 'list', default: [] },
  /** The secret of the first client at the OpenID provider. */
  IDP_CLIENT_SECRET: { kind: 'text', secret: true },
  /** Where the OpenID provider publishes the keys of its security events: `{issuer}/.well-known/risc-configuration` without it. */
  IDP_RISC_CONFIGURATION_URL: {
    kind: 'remote-url',
    example: 'https://accounts.example.com/.well-known/risc-configuration',
  },
  /** Another code host to sign in by than `https://github.com`. */
  CODEHOST_BASE_URL: { kind: 'remote-url', example: 'https://github.com' },
  /** The API of that other code host. */
  CODEHOST_API_URL: { kind: 'remote-url', example: 'https://api.github.com' },
  /** The platform's client id at the code host. */
  CODEHOST_CLIENT_ID: { kind: 'text' },
  /** The secret of the client at the code host. */
  CODEHOST_CLIENT_SECRET: { kind: 'text', secret: true },

  /** The chain that wallets sign for. */
  EVM_CHAIN_ID: { kind: 'whole', default: 8453 },
  /** The node of that chain. It checks smart wallets, token gates, names and attestations. Without it only plain wallets work. */
  EVM_RPC_URL: { kind: 'remote-url', secret: true, example: 'https://mainnet.base.org' },
  /** The node of the chain that clones of agents are paid on. */
  TEMPO_RPC_URL: { kind: 'remote-url', secret: true, example: 'https://rpc.example.com' },
  /** The token that clones are paid in. */
  PATHUSD_ADDRESS: { kind: 'address' },
  /** The address that clones are paid to. */
  CLONE_PAY_TO: { kind: 'address' },
  /** The USDC contract on that chain; Base's own without it, and needed on any other chain. */
  USDC_ADDRESS: { kind: 'address', example: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
  /** The address that payers of `/api/v1/gateway` and of the summarizer pay to, by x402. */
  X402_PAY_TO: { kind: 'address' },
  /** The x402 facilitator that checks and settles those payments. */
  X402_FACILITATOR_URL: { kind: 'remote-url', example: 'https://facilitator.example.com' },
  /** What an answer of `/api/v1/gateway` costs. */
  X402_PRICE_USD: { kind: 'price', default: '0.01' },
  /** What a page costs that the summarizer reads, paid by x402; without it pages are free. */
  SUMMARIZER_PRICE_USD: { kind: 'price', example: '0.001' },
  /** What models may cost for all those payers in a calendar month; no limit without it. */
  X402_SPEND_CAP_USD: { kind: 'usd' },
  /** The x402 gateway that agents join and pay at. */
  X402_GATEWAY_URL: { kind: 'remote-url', example: 'https://gateway.example.com' },
  /** The issuer of Farcaster's quick auth. */
  FARCASTER_AUTH_ISSUER: { kind: 'remote-url', example: 'https://auth.farcaster.xyz' },
  /** The node that holds Farcaster's registry. */
  FARCASTER_RPC_URL: { kind: 'remote-url', secret: true, example: 'https://rpc.example.com' },
  /** The token that gates: whose holders count as such. */
  TOKEN_GATE_ADDRESS: { kind: 'address' },
  /** How much of the gating token a holder must have, in its smallest unit. */
  TOKEN_GATE_MINIMUM: { kind: 'token-units', default: 1n },
  /** The API of the payment provider, without `/v1`. */
  PAYMENTS_API_URL: { kind: 'remote-url', default: 'https://api.stripe.com' },
  /** The key of the payment provider; without it nothing can be bought. */
  PAYMENTS_SECRET_KEY: { kind: 'text', secret: true },
  /** What the payment provider signs its events with; without it nothing can be bought. */
  PAYMENTS_WEBHOOK_SECRET: { kind: 'text', secret: true, example: 'whsec_…' },

  /** The id of the API key at Coinbase's Developer Platform, the custodian of `/api/wallet/cdp`. */
  CDP_API_KEY_ID: { kind: 'text', example: 'organizations/…/apiKeys/…' },
  /** The secret of that API key, Ed25519 or P-256, as the portal gives it out. */
  CDP_API_KEY_SECRET: { kind: 'text', secret: true },
  /** The custodian's wallet secret, as the portal gives it out. */
  CDP_WALLET_SECRET: { kind: 'text', secret: true },
  /** The origin of the custodian's API; another one is for tests. */
  CDP_API_URL: { kind: 'remote-url', default: 'https://api.cdp.coinbase.com' },
  /** What the streaming provider signs its events with; without it none are taken. */
  STREAMING_WEBHOOK_SECRET: { kind: 'text', secret: true },
  /** What the email provider signs its events with, as Svix does; without it none are taken. */
  EMAIL_WEBHOOK_SECRET: { kind: 'webhook-secret', secret: true },
  /** Whose emails the platform takes; without it none. */
  EMAIL_WEBHOOK_ALLOWLIST: { kind: 'emails', default: [] },
  /** The directory that the file explorer shows: `DATA_DIR/workspace` on one machine; deployed, a file system mounted at `/mnt/<name>`. */
  WORKSPACE_ROOT: { kind: 'text', example: '/mnt/workspace' },
  /** The video provider: an API in the form of OpenAI's, `/v1` included. Without it and its key no video can be ordered. */
  VIDEO_API_URL: { kind: 'remote-url', example: 'https://api.openai.com/v1' },
  /** The key of the video provider. */
  VIDEO_API_KEY: { kind: 'text', secret: true },
  /** The model that makes the videos. */
  VIDEO_MODEL: { kind: 'text', default: 'sora-2' },
  /** What `git-sync` logs in with at the remote that the workspace names, where that is http or https. */
  GIT_TOKEN: { kind: 'text', secret: true },
  /** The hosts that may be given GIT_TOKEN, with `:port` where it is not 443; on one machine http to loopback may too. */
  GIT_TOKEN_HOSTS: {
    kind: 'hosts',
    default: ['github.com'],
    example: 'github.com,git.example.com:8443',
  },
  /** The user name that goes with it. */
  GIT_USERNAME: { kind: 'text', default: 'x-access-token' },

  /** The agents' container image, built from `agent/image/Dockerfile` (docs/deploy.md); only deployed. */
  AGENT_IMAGE: { kind: 'text', required: true, example: 'registry.example.com/agent:1' },
  /** The image that is to come after it, which some agents get at their next start; only deployed. */
  AGENT_IMAGE_NEXT: { kind: 'text', example: 'registry.example.com/agent:2' },
  /** Of a hundred agents, how many get AGENT_IMAGE_NEXT: always the same ones. */
  AGENT_IMAGE_NEXT_PERCENT: { kind: 'percent', default: 0 },
  /** How many containers of each plan run and wait, so that an agent that wakes or starts need not wait for one; each costs as much as an agent that is awake. Only deployed. */
  WARM_CONTAINERS: { kind: 'plan-counts' },

  /** `false` only reports what the watchdog would repair. */
  WATCHDOG_AUTO_REPAIR: { kind: 'flag', default: true },
  /** Between looks at a healthy agent. */
  WATCHDOG_CHECK_INTERVAL: { kind: 'seconds', default: 120 },
  /** Between looks at an agent that is not healthy. */
  WATCHDOG_DEGRADED_CHECK_INTERVAL: { kind: 'seconds', default: 5 },
  /** Failed looks at a start before it is repaired. */
  WATCHDOG_STARTUP_FAILURE_THRESHOLD: { kind: 'count', default: 3 },
  /** Repairs before an agent is given up until a person starts it. */
  WATCHDOG_MAX_REPAIR_ATTEMPTS: { kind: 'count', default: 2 },
  /** The time window for WATCHDOG_CRASH_LOOP_THRESHOLD. That many crashes within it end the repairs. */
  WATCHDOG_CRASH_LOOP_WINDOW: { kind: 'seconds', default: 300 },
  /** How many crashes in WATCHDOG_CRASH_LOOP_WINDOW end the repairs. */
  WATCHDOG_CRASH_LOOP_THRESHOLD: { kind: 'count', default: 3 },
  /** Between a stop for repair and the start after it. */
  WATCHDOG_REPAIR_STOP_WAIT: { kind: 'seconds', default: 5 },
  /** Between a start for repair and the first look at it. */
  WATCHDOG_REPAIR_START_WAIT: { kind: 'seconds', default: 30 },
  /** Where the watchdog's notices go. */
  NOTIFY_TEAM_WEBHOOK_URL: {
    kind: 'remote-url',
    secret: true,
    example: 'https://hooks.example.com/…',
  },
  /** The API of a chat bot that the notices also go by, with the next two. */
  NOTIFY_CHAT_API_URL: { kind: 'remote-url', example: 'https://api.telegram.org' },
  /** The token of that chat bot. */
  NOTIFY_CHAT_BOT_TOKEN: { kind: 'text', secret: true },
  /** The chat that the bot writes the notices to. */
  NOTIFY_CHAT_ADMIN_ID: { kind: 'text' },
} as const satisfies Record<string, Setting>

type Declared = typeof functionSettings

/** A setting that must never be readable in a console or a log. */
export type SecretName = {
  [Name in keyof Declared]: Declared[Name] extends { secret: true } ? Name : never
}[keyof Declared]

/** A setting that is handed over as a plain variable. */
export type SettingName = Exclude<keyof Declared, SecretName>

/** Features that need several settings, all or none. */
export const neededTogether: Record<string, readonly (SettingName | SecretName)[]> = {
  'sign-in by OpenID Connect': ['IDP_ISSUER', 'IDP_CLIENT_ID', 'IDP_CLIENT_SECRET'],
  'sign-in by a code host': ['CODEHOST_CLIENT_ID', 'CODEHOST_CLIENT_SECRET'],
  'another code host than the public one': ['CODEHOST_BASE_URL', 'CODEHOST_API_URL'],
  'paying for clones': ['TEMPO_RPC_URL', 'PATHUSD_ADDRESS', 'CLONE_PAY_TO'],
  'wallets at a custodian': ['CDP_API_KEY_ID', 'CDP_API_KEY_SECRET', 'CDP_WALLET_SECRET'],
  'selling answers by x402': ['X402_PAY_TO', 'X402_FACILITATOR_URL'],
  videos: ['VIDEO_API_URL', 'VIDEO_API_KEY'],
  'notices by a chat bot': ['NOTIFY_CHAT_API_URL', 'NOTIFY_CHAT_BOT_TOKEN', 'NOTIFY_CHAT_ADMIN_ID'],
}
