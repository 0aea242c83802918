import type { SecretName, SettingName } from './settings/functions.ts'
import type { Surface } from './surfaces.ts'

export type { SecretName, SettingName, Surface }

/** The shapes of the manifest: what runs where, said once for AWS (stacks/*.ts) and for one machine (stacks/local). */

/** How much of something one client address may ask for: spec.md, Rate limits, and contract.md 2. */
export interface RateLimit {
  /** Names the counter; routes of one surface that name the same one share it, in whichever function they are. */
  scope: string
  /** Requests a minute. */
  perMinute: number
  /** What is answered beyond it; a general sentence where nothing is said. */
  message?: string
}

/** A function that others call by its name, and that nothing else reaches. */
export type InvokedFunction = 'signer'

/** What a function may do, in the platform's own words; stacks/permissions.ts turns each into IAM statements. */
export type GrantOf<Queue extends string> =
  | { table: 'read' | 'write' }
  /** Reaches, with its table grant, the rows that say what wallets pay. They are refused to every other function. */
  | { rows: 'payments' | 'payments-to-read' }
  /** Counts requests against their limits, and touches no other row. */
  | { count: 'requests' }
  /** Reads and notes what payments have bought, and touches no other row. */
  | { claims: 'write' }
  | { send: Queue }
  /** True if the queue is there; none of its messages. */
  | { look: Queue }
  /** How many messages each queue and its dead-letter queue hold; none of them. */
  | { depth: 'queues' }
  /** Moves messages of every dead-letter queue back to the queue that they failed in. */
  | { redrive: 'queues' }
  /**
   * `run` starts tasks by the plans' definitions and by copies with other images, which it makes; `run-plans` by the plans' own
   * alone. `look` tells whether the cluster is there, and nothing of its tasks.
   */
  | { containers: 'run' | 'run-plans' | 'stop' | 'describe' | 'look' }
  | { mail: 'send' }
  /** What agents print. */
  | { logs: 'read' }
  /** Puts copies of videos where they are kept, or makes links by which they are fetched. */
  | { videos: 'put' | 'link' }
  /** Puts restore points of agents where they are kept; `write` also removes them, `all` reads them too. */
  | { snapshots: 'put' | 'write' | 'all' }
  /** Seals and opens keys of wallets by the platform's key of KMS. */
  | { seal: 'wallets' }
  /** Reads and writes the files of the workspace: deployed, WORKSPACE_ROOT is a file system that is mounted into it. */
  | { files: 'workspace' }
  /** Calls a function that has no address. */
  | { invoke: InvokedFunction }

/** A queue, which is declared with the one function that takes its messages, and has a dead-letter queue. */
export interface QueueTrigger<Queue extends string> {
  kind: 'queue'
  queue: Queue
  batchSize: number
  /** How long messages are gathered for a batch; 0 unless said otherwise. More than ten messages take at least a second. */
  batchWindowSeconds?: number
  /**
   * Deliveries before a message moves to the dead-letter queue, which has the same name with `-dead` behind it. The waits
   * between them double from 2 s to 5 minutes: 8 are 4 minutes of a fault that lasts, 20 an hour, 300 a day. A process
   * that is killed with a message costs it one, and a second one where it leaves a lease.
   */
  maxReceives: number
  /** Batches that the function takes side by side, at most; 10 unless said otherwise. */
  maxConcurrency?: number
}

export type TriggerOf<Queue extends string> =
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
      /**
       * Passes requests on: it is given their path and query as they were sent, and takes a body of any size as it comes, where its
       * carrier can. Lambda hands a body over as a whole, of 6 MB at most, in base64.
       */
      uploads?: boolean
    }
  | QueueTrigger<Queue>
  | { kind: 'schedule'; everyMinutes: number }
  /** By other functions alone, by Lambda's Invoke; on one machine it runs in a process of its own. */
  | { kind: 'invoke' }

/** @template Queue the queues that there are; while functions are declared, any name */
export interface SpecOf<Queue extends string> {
  /** Unique, kebab-case; names the Lambda, its bundle folder and its log lines. */
  name: string
  /** The entry module, from the repository's root; a route group exports `routes`, a job `job`, a schedule `tick`, an invoked function `procedures`, each with `wire`. */
  entry: string
  /**
   * Imports (`imports` of package.json) that it loads only once it needs them, by `import()`: Lambda's bundle has each in a
   * file of its own, so that they cost no cold start. Each has its own copy of every module that it shares with the rest.
   */
  parts?: readonly string[]
  trigger: TriggerOf<Queue>
  memoryMb: number
  timeoutSeconds: number
  /**
   * Instances that an account keeps for it alone, and the most that it may have at once: others cannot take them from it,
   * and it cannot take more from others. Without it the function shares what is left of the account's.
   */
  reserved?: number
  grants: readonly GrantOf<Queue>[]
  settings: readonly SettingName[]
  secrets: readonly SecretName[]
  /** Reaches agent containers by their private address, so it lives in the VPC. */
  vpc?: boolean
  /** Import-time and size allowance, as a multiple of the floor bundle: light 1, hot 1.25, standard 2. */
  budget: 'light' | 'hot' | 'standard'
  /**
   * Also runs as a service: containers that are paid by the hour and not by the call, each with any number of requests side
   * by side. SERVICES names those that do in a stage: docs/deploy.md says what for.
   */
  service?: ServiceSize
  /** Also runs as a worker, on workerd and at Cloudflare: docs/edge.md says what may. */
  edge?: boolean
}

/** What a service's containers are, and how many of them. */
export interface ServiceSize {
  /** ECS CPU units: 1024 is one vCPU. */
  cpu: number
  memoryMb: number
  /** Requests under way in a container, on average, that more of them are started to keep to. */
  underWay: number
  least: number
  most: number
}

export interface PlanSize {
  plan: 'label' | 'solo' | 'collective' | 'network'
  /** ECS CPU units: 1024 is one vCPU. */
  cpu: number
  memoryMb: number
  /** True if AWS's spare capacity is asked for first, at about half the price; AWS takes it back with two minutes' notice. */
  spot: boolean
}
