import type { QueueName } from './queues.ts'

export type { QueueName }

/** The shapes of the manifest: what runs where, said once for AWS (stacks/*.ts) and for one machine (stacks/local). */

/** A public address of the platform; web and backend share paths with different shapes, so each has its own. */
export type Surface = 'web' | 'backend' | 'summarizer'

/** How much of something one client address may ask for: spec.md, Rate limits, and contract.md 2. */
export interface RateLimit {
  /** Names the counter; routes of one surface that name the same one share it, in whichever function they are. */
  scope: string
  /** Requests a minute. */
  perMinute: number
  /** What is answered beyond it; a general sentence where nothing is said. */
  message?: string
}

/** What a function may do, in the platform's own words; stacks/permissions.ts turns each into IAM statements. */
export type Grant =
  | { table: 'read' | 'write' }
  | { send: QueueName }
  /** Whether the queue is there; none of its messages. */
  | { look: QueueName }
  /** `look` tells whether the cluster is there, and nothing of its tasks. */
  | { containers: 'run' | 'stop' | 'describe' | 'look' }
  | { mail: 'send' }
  /** What agents print. */
  | { logs: 'read' }

/** A setting of contract.md's environment table that is not secret; handed over as a plain variable. */
export type SettingName =
  | 'ADMIN_EMAILS'
  | 'AGENTS_DOMAIN'
  | 'AGENT_IMAGE'
  | 'AI_BASE_URL'
  | 'AI_MODEL_TIMEOUT_MS'
  | 'BACKEND_URL'
  | 'CLONE_PAY_TO'
  | 'CODEHOST_API_URL'
  | 'CODEHOST_BASE_URL'
  | 'CODEHOST_CLIENT_ID'
  | 'DEMO_SPEND_CAP_USD'
  | 'EMAIL_FROM'
  | 'EVM_CHAIN_ID'
  | 'FARCASTER_AUTH_ISSUER'
  | 'IDP_CLIENT_ID'
  | 'IDP_ISSUER'
  | 'IDP_RISC_CONFIGURATION_URL'
  | 'KILL_SWITCH'
  | 'NOTIFY_CHAT_ADMIN_ID'
  | 'NOTIFY_CHAT_API_URL'
  | 'PATHUSD_ADDRESS'
  | 'SUMMARIZER_URL'
  | 'TOKEN_GATE_ADDRESS'
  | 'TOKEN_GATE_MINIMUM'
  | 'WATCHDOG_AUTO_REPAIR'
  | 'WATCHDOG_CHECK_INTERVAL'
  | 'WATCHDOG_CRASH_LOOP_THRESHOLD'
  | 'WATCHDOG_CRASH_LOOP_WINDOW'
  | 'WATCHDOG_DEGRADED_CHECK_INTERVAL'
  | 'WATCHDOG_MAX_REPAIR_ATTEMPTS'
  | 'WATCHDOG_REPAIR_START_WAIT'
  | 'WATCHDOG_REPAIR_STOP_WAIT'
  | 'WATCHDOG_STARTUP_FAILURE_THRESHOLD'
  | 'WEB_URL'

/** A setting that must never be readable in a console or a log. */
export type SecretName =
  | 'AI_API_KEY'
  | 'AI_PROVIDERS'
  | 'CODEHOST_CLIENT_SECRET'
  | 'EVM_RPC_URL'
  | 'FARCASTER_RPC_URL'
  | 'IDP_CLIENT_SECRET'
  | 'INTERNAL_API_KEY'
  | 'NOTIFY_CHAT_BOT_TOKEN'
  | 'NOTIFY_TEAM_WEBHOOK_URL'
  | 'ORIGIN_SECRET'
  | 'ROUTER_SECRET'
  | 'TEMPO_RPC_URL'
  | 'WALLET_ENCRYPTION_KEY'

export type Trigger =
  | {
      kind: 'http'
      surface: Surface
      /**
       * Each prefix becomes two routes, itself and everything below it; `{name}` stands for any one segment. `/` is
       * the root alone; `$default` is what no other prefix takes.
       */
      prefixes: readonly string[]
      /** Answers as they are produced, for longer than an HTTP API allows (30 s). */
      streaming?: boolean
    }
  | { kind: 'queue'; queue: QueueName; batchSize: number }
  | { kind: 'schedule'; everyMinutes: number }

export interface FunctionSpec {
  /** Unique, kebab-case; names the Lambda, its bundle folder and its log lines. */
  name: string
  /** The entry module, from the repository's root; it exports `handler`. */
  entry: string
  trigger: Trigger
  memoryMb: number
  timeoutSeconds: number
  grants: readonly Grant[]
  settings: readonly SettingName[]
  secrets: readonly SecretName[]
  /** Reaches agent containers by their private address, so it lives in the VPC. */
  vpc?: boolean
  /** Import-time and size allowance, as a multiple of the floor bundle: hot 1.25, standard 2. */
  budget: 'hot' | 'standard'
  /** Imports nothing of Node's, so the same bundle also runs on workerd. */
  edge?: boolean
}

export interface PlanSize {
  plan: 'label' | 'solo' | 'collective' | 'network'
  /** ECS CPU units: 1024 is one vCPU. */
  cpu: number
  memoryMb: number
}
