import type { QueueName } from './queues.ts'
import type { SecretName, SettingName } from './settings/functions.ts'

export type { QueueName, SecretName, SettingName }

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
  /** The entry module, from the repository's root; a route group exports `routes`, a job `job`, a schedule `tick`, each with `wire`. */
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
