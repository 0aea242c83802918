import { localPorts } from '../ports.ts'
import type { Setting } from './types.ts'

/**
 * The settings of functions. Settings that are not secret become plain variables of the functions that list them.
 */
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
  /** The domain of agents' own hosts, with its port: each agent is a subdomain. */
  AGENTS_DOMAIN: { kind: 'text', default: `agents.localhost:${localPorts.agents}` },
  /**
   * Users with one of these addresses are administrators after its verification. When deployed, the addresses also
   * receive the alarms.
   */
  ADMIN_EMAILS: { kind: 'emails', default: [] },
  /** The bearer key of trusted callers of the backend; generated at the first start on one machine. */
  INTERNAL_API_KEY: { kind: 'text', secret: true, required: true },
  /**
   * The key that encrypts secrets, and that gateway tokens and agents' keys are derived from; generated at the first
   * start on one machine.
   */
  WALLET_ENCRYPTION_KEY: {
    kind: 'key',
    secret: true,
    required: true,
    example: '"$(openssl rand -base64 32)"',
  },
  /**
   * The KMS key that encrypts the keys of wallets; the stack creates it. One machine uses WALLET_ENCRYPTION_KEY
   * instead.
   */
  WALLET_KMS_KEY_ID: { kind: 'text' },
  /**
   * The secret that authenticates requests from the edge. On one machine the local proxy uses it, and each start
   * generates a new one.
   */
  ORIGIN_SECRET: { kind: 'text', secret: true, required: true },
  /** The secret that authenticates the agents' router; generated at the first start on one machine. */
  ROUTER_SECRET: { kind: 'key', secret: true },
  /** `true` disables provisioning: people cannot start or stop agents. The platform still puts idle agents to sleep. */
  KILL_SWITCH: { kind: 'flag', default: false, example: 'true' },
  /** The sender of mails. On one machine, mails are files in `DATA_DIR/outbox`. */
  EMAIL_FROM: { kind: 'email' },
  /**
   * The domain of the addresses of agents' email channels; its MX record must point to SES. Default on one machine:
   * `agents.localhost`. Without it, a deployed stage has no email channels.
   */
  EMAIL_IN_DOMAIN: { kind: 'text', example: 'agents.example.com' },
  /** Private addresses that the summarizer and the broker may call; ignored when deployed. */
  FETCH_ALLOW_HOSTS: { kind: 'host-ports', default: [] },
  /** The DNS-over-HTTPS resolver (JSON) that workers use to check the hosts of pages. */
  DNS_RESOLVER_URL: { kind: 'url', default: 'https://cloudflare-dns.com/dns-query' },

  /**
   * The base URL of the routing provider: any OpenAI-compatible `/v1`. Without it, one machine uses a stand-in model.
   */
  AI_BASE_URL: { kind: 'remote-url', example: 'https://openrouter.ai/api/v1' },
  /**
   * The families of model APIs that the routing provider serves. Default: the families of the known provider at this
   * address, otherwise `chat,embeddings`.
   */
  AI_SPEAKS: { kind: 'model-families', example: 'chat,messages,responses' },
  /** The key of the routing provider. */
  AI_API_KEY: { kind: 'text', secret: true },
  /** Additional model providers by name. */
  AI_PROVIDERS: { kind: 'providers', secret: true },
  /** The maximum wait for a model's first byte, and between two bytes. */
  AI_MODEL_TIMEOUT_MS: { kind: 'milliseconds', default: 30_000 },
  /**
   * The models that users of each plan may call by name. The value replaces the plan's whole set. Default:
   * `shared/money/plans/model-sets.json`.
   */
  PLAN_MODELS: { kind: 'plan-models' },
  /** The choice of providers for the users of each plan. Requests and API keys can change it, but not raise its prices. */
  PLAN_ROUTING: { kind: 'plan-routing' },
  /** The models of each kind of task, in order of preference. Default: `shared/money/plans/model-sets.json`. */
  TASK_MODELS: { kind: 'task-models' },
  /** The six models of the demo, the default first, separated by commas or as JSON. Default: `shared/money/plans/model-sets.json`. */
  DEMO_MODELS: { kind: 'demo-models' },
  /**
   * The spend cap for models and videos of a user of each plan, in USD per calendar month. Users can set only lower caps.
   * Default when deployed: `network=500`. A plan that is not listed has no cap.
   */
  PLAN_SPEND_CAPS_USD: { kind: 'plan-usd', example: 'solo=60,collective=150,network=500' },
  /** The spend cap of the demo, in USD per calendar month. Default: 20 when deployed, no cap on one machine. */
  DEMO_SPEND_CAP_USD: { kind: 'usd' },

  /** The address of Telegram's Bot API. On one machine it may be http to this machine, for a test. */
  TELEGRAM_API_URL: { kind: 'remote-url', default: 'https://api.telegram.org' },
  /** The address of Slack's Web API, with `/api`. On one machine it may be http to this machine, for a test. */
  SLACK_API_URL: { kind: 'remote-url', default: 'https://slack.com/api' },
  /** The address of Meta's Graph API, without a version. On one machine it may be http to this machine. */
  WHATSAPP_API_URL: { kind: 'remote-url', default: 'https://graph.facebook.com' },

  /** The issuer of the OpenID provider for sign-in, which also sends security events. */
  IDP_ISSUER: { kind: 'issuer' },
  /** The platform's client ids at the OpenID provider; the first one signs in. */
  IDP_CLIENT_ID: { kind: 'list', default: [] },
  /** The secret of the first client at the OpenID provider. */
  IDP_CLIENT_SECRET: { kind: 'text', secret: true },
  /**
   * The configuration document for the OpenID provider's security events. Default:
   * `{issuer}/.well-known/risc-configuration`.
   */
  IDP_RISC_CONFIGURATION_URL: {
    kind: 'remote-url',
    example: 'https://accounts.example.com/.well-known/risc-configuration',
  },
  /** The base URL of the code host for sign-in. Default: `https://github.com`. */
  CODEHOST_BASE_URL: { kind: 'remote-url', example: 'https://github.com' },
  /** The base URL of the code host's API; required if CODEHOST_BASE_URL is set. */
  CODEHOST_API_URL: { kind: 'remote-url', example: 'https://api.github.com' },
  /** The platform's client id at the code host. */
  CODEHOST_CLIENT_ID: { kind: 'text' },
  /** The secret of the client at the code host. */
  CODEHOST_CLIENT_SECRET: { kind: 'text', secret: true },

  /** The id of the EVM chain for wallets: sign-in, signatures and payments (EIP-155). */
  EVM_CHAIN_ID: { kind: 'whole', default: 8453 },
  /**
   * The RPC node of that chain, for payments of agents, withdrawals, splits, smart wallets, token gates, names and
   * attestations. Without it only plain wallets work, and agents pay nothing.
   */
  EVM_RPC_URL: { kind: 'remote-url', secret: true, example: 'https://mainnet.base.org' },
  /** The RPC node of the chain for payments of agent clones. */
  TEMPO_RPC_URL: { kind: 'remote-url', secret: true, example: 'https://rpc.example.com' },
  /** The token for payments of agent clones. */
  PATHUSD_ADDRESS: { kind: 'address' },
  /** The address that receives payments of agent clones. */
  CLONE_PAY_TO: { kind: 'address' },
  /** The USDC contract on that chain. Default: Base's own; required on any other chain. */
  USDC_ADDRESS: { kind: 'address', example: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
  /** The address that receives x402 payments for `/api/v1/gateway` and the summarizer. */
  X402_PAY_TO: { kind: 'address' },
  /** The x402 facilitator that verifies and settles those payments. */
  X402_FACILITATOR_URL: { kind: 'remote-url', example: 'https://facilitator.example.com' },
  /** The price of an answer of `/api/v1/gateway`, in USD. */
  X402_PRICE_USD: { kind: 'price', default: '0.01' },
  /**
   * The platform's share of the price of an agent's answer at `/api/v1/gateway`, in percent. The agent's owner gets the
   * rest as credits, less the cost of the tokens.
   */
  X402_PLATFORM_SHARE: { kind: 'percent', default: 10 },
  /** The price of a page at the summarizer, in USD, paid by x402. Without it pages are free. */
  SUMMARIZER_PRICE_USD: { kind: 'price', example: '0.001' },
  /**
   * The spend cap for models of all x402 payers together, in USD per calendar month. Without it there is no cap.
   */
  X402_SPEND_CAP_USD: { kind: 'usd' },
  /**
   * The ceiling of the payments of all agents together by x402, in USD per day (UTC). Default on a deployed stage: 100;
   * on one machine, no ceiling.
   */
  AGENT_PAYMENTS_CAP_USD_PER_DAY: { kind: 'usd', example: '100' },
  /** The x402 gateway for agents to join and pay at. */
  X402_GATEWAY_URL: { kind: 'remote-url', example: 'https://gateway.example.com' },
  /** The issuer of Farcaster's quick auth. */
  FARCASTER_AUTH_ISSUER: { kind: 'remote-url', example: 'https://auth.farcaster.xyz' },
  /** The RPC node of the chain with Farcaster's registries. */
  FARCASTER_RPC_URL: { kind: 'remote-url', secret: true, example: 'https://rpc.example.com' },
  /** The token of the token gate, which its holders pass. */
  TOKEN_GATE_ADDRESS: { kind: 'address' },
  /** The minimum amount of the gate's token that a holder needs, in its smallest unit. */
  TOKEN_GATE_MINIMUM: { kind: 'token-units', default: 1n },
  /** The API of the payment provider, without `/v1`. */
  PAYMENTS_API_URL: { kind: 'remote-url', default: 'https://api.stripe.com' },
  /** The key of the payment provider. Without it purchases are disabled. */
  PAYMENTS_SECRET_KEY: { kind: 'text', secret: true },
  /** The secret that signs the payment provider's webhooks. Without it purchases are disabled. */
  PAYMENTS_WEBHOOK_SECRET: { kind: 'text', secret: true, example: 'whsec_…' },
  /** `false` sells no storage, for a stage whose own agent image keeps no files. */
  STORAGE_UPGRADES: { kind: 'flag', default: true },

  /** The id of the API key at Coinbase Developer Platform, the custodian of `/api/wallet/cdp`. */
  CDP_API_KEY_ID: { kind: 'text', example: 'organizations/…/apiKeys/…' },
  /** The secret of that API key, Ed25519 or P-256, as downloaded from the portal. */
  CDP_API_KEY_SECRET: { kind: 'text', secret: true },
  /** The custodian's wallet secret, as downloaded from the portal. */
  CDP_WALLET_SECRET: { kind: 'text', secret: true },
  /** The origin of the custodian's API; change it for tests only. */
  CDP_API_URL: { kind: 'remote-url', default: 'https://api.cdp.coinbase.com' },
  /** The secret that signs the streaming provider's webhooks. Without it the platform refuses them. */
  STREAMING_WEBHOOK_SECRET: { kind: 'text', secret: true },
  /** The secret that signs the email provider's webhooks, in Svix's form. Without it the platform refuses them. */
  EMAIL_WEBHOOK_SECRET: { kind: 'webhook-secret', secret: true },
  /** The senders whose emails the platform accepts. Without it, the platform accepts no emails. */
  EMAIL_WEBHOOK_ALLOWLIST: { kind: 'emails', default: [] },
  /**
   * The directory of the file explorer: `DATA_DIR/workspace` on one machine; deployed, a file system mounted at
   * `/mnt/<name>`.
   */
  WORKSPACE_ROOT: { kind: 'text', example: '/mnt/workspace' },
  /**
   * The base URL of the video provider: any OpenAI-compatible API, with `/v1`. Without it and its key, videos are
   * disabled.
   */
  VIDEO_API_URL: { kind: 'remote-url', example: 'https://api.openai.com/v1' },
  /** The key of the video provider. */
  VIDEO_API_KEY: { kind: 'text', secret: true },
  /** The model that makes the videos. */
  VIDEO_MODEL: { kind: 'text', default: 'sora-2' },
  /** The password or token of `git-sync` for the workspace's http or https remote. */
  GIT_TOKEN: { kind: 'text', secret: true },
  /**
   * The hosts that receive GIT_TOKEN, with `:port` unless it is 443. On one machine, http to loopback is allowed
   * too.
   */
  GIT_TOKEN_HOSTS: {
    kind: 'hosts',
    default: ['github.com'],
    example: 'github.com,git.example.com:8443',
  },
  /** The user name for GIT_TOKEN. */
  GIT_USERNAME: { kind: 'text', default: 'x-access-token' },

  /** The container image of agents, built from `agent/image/Dockerfile` (docs/operate/deploy.md); only deployed. */
  AGENT_IMAGE: { kind: 'text', required: true, example: 'registry.example.com/agent:1' },
  /** The chat services besides Telegram that AGENT_IMAGE and AGENT_IMAGE_NEXT sign in to, or `none`; only deployed. */
  AGENT_CHANNELS: { kind: 'channels', default: [], example: 'discord' },
  /** The next container image, which a share of the agents gets at their next start; only deployed. */
  AGENT_IMAGE_NEXT: { kind: 'text', example: 'registry.example.com/agent:2' },
  /** The share of agents that get AGENT_IMAGE_NEXT, in percent. The selected agents do not change. */
  AGENT_IMAGE_NEXT_PERCENT: { kind: 'percent', default: 0 },
  /**
   * The number of idle containers for each plan, so that agents do not wait for a container to start. Each costs as
   * much as an awake agent. Only deployed.
   */
  WARM_CONTAINERS: { kind: 'plan-counts' },

  /** `false` makes the watchdog only report faults, without repairs. */
  WATCHDOG_AUTO_REPAIR: { kind: 'flag', default: true },
  /** The interval between checks of a healthy agent. */
  WATCHDOG_CHECK_INTERVAL: { kind: 'seconds', default: 120 },
  /** The interval between checks of an unhealthy agent. */
  WATCHDOG_DEGRADED_CHECK_INTERVAL: { kind: 'seconds', default: 5 },
  /** Failed checks of a starting agent before the watchdog repairs it. */
  WATCHDOG_STARTUP_FAILURE_THRESHOLD: { kind: 'count', default: 3 },
  /** The number of repairs after which the watchdog stops an agent until a person starts it. */
  WATCHDOG_MAX_REPAIR_ATTEMPTS: { kind: 'count', default: 2 },
  /** The time window for WATCHDOG_CRASH_LOOP_THRESHOLD. */
  WATCHDOG_CRASH_LOOP_WINDOW: { kind: 'seconds', default: 300 },
  /** The number of crashes within WATCHDOG_CRASH_LOOP_WINDOW after which the watchdog stops its repairs. */
  WATCHDOG_CRASH_LOOP_THRESHOLD: { kind: 'count', default: 3 },
  /** The wait between a stop for repair and the following start. */
  WATCHDOG_REPAIR_STOP_WAIT: { kind: 'seconds', default: 5 },
  /** The wait between a start for repair and its first check. */
  WATCHDOG_REPAIR_START_WAIT: { kind: 'seconds', default: 30 },
  /** The webhook that receives the watchdog's notices. */
  NOTIFY_TEAM_WEBHOOK_URL: {
    kind: 'remote-url',
    secret: true,
    example: 'https://hooks.example.com/…',
  },
  /** The API of a chat bot that also sends the notices; needs the next two settings. */
  NOTIFY_CHAT_API_URL: { kind: 'remote-url', example: 'https://api.telegram.org' },
  /** The token of that chat bot. */
  NOTIFY_CHAT_BOT_TOKEN: { kind: 'text', secret: true },
  /** The id of the chat that receives the notices. */
  NOTIFY_CHAT_ADMIN_ID: { kind: 'text' },
} as const satisfies Record<string, Setting>

type Declared = typeof functionSettings

/** The name of a secret, which must never be readable in a console or a log. */
export type SecretName = {
  [Name in keyof Declared]: Declared[Name] extends { secret: true } ? Name : never
}[keyof Declared]

/** The name of a setting that becomes a plain variable. */
export type SettingName = Exclude<keyof Declared, SecretName>
