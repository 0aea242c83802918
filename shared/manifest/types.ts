import type { SecretName, SettingName } from './settings/functions.ts'
import type { Surface } from './surfaces.ts'

export type { SecretName, SettingName, Surface }

/**
 * The types of the manifest: functions, triggers and grants, declared once for AWS (stacks/*.ts) and for one
 * machine (stacks/local).
 */

/**
 * The maximum number of requests of one kind from one caller: spec.md, Rate limits, and contract.md 2. A caller is the
 * user or the agent of a valid credential, otherwise the client's address.
 */
export interface RateLimit {
  /** The counter's name. Routes of one surface with the same name share a counter, also across functions. */
  scope: string
  /** Requests per minute and caller. */
  perMinute: number
  /** The error message beyond the limit. Default: a general sentence. */
  message?: string
  /** The error code beyond the limit. Default: none. */
  code?: string
}

/** A function that only other functions call, by name. */
type InvokedFunction = 'signer'

/**
 * A permission of a function, in the platform's own terms; stacks/permissions.ts converts each to IAM statements.
 */
export type GrantOf<Queue extends string> =
  | { table: 'read' | 'write' }
  /**
   * Access, with the table grant, to the rows that define wallets' payments. All other functions are denied these
   * rows.
   */
  | { rows: 'payments' | 'payments-to-read' }
  /** Counts requests against their limits; no access to any other row. */
  | { count: 'requests' }
  /** Reads and writes the claims of payments; no access to any other row. */
  | { claims: 'write' }
  | { send: Queue }
  /** Checks that a queue exists; no access to its messages. */
  | { look: Queue }
  /** Reads the number of messages of each queue and its dead-letter queue; no access to the messages. */
  | { depth: 'queues' }
  /** Moves messages of every dead-letter queue back to their queue. */
  | { redrive: 'queues' }
  /**
   * `run` starts tasks with the plans' task definitions, and with copies of them that it registers for other images;
   * `run-plans` starts tasks with the plans' task definitions only. `look` checks that the cluster
   * exists, without access to its tasks.
   */
  | { containers: 'run' | 'run-plans' | 'stop' | 'describe' | 'look' }
  | { mail: 'send' }
  /** Reads the stored mails of channels and their attachments, or stores attachments. */
  | { mails: 'read' | 'put' }
  /** Reads the output of agents. */
  | { logs: 'read' }
  /** Stores copies of videos, or makes links to them. */
  | { videos: 'put' | 'link' }
  /** Stores agents' restore points; `write` also deletes them, `all` reads them too. */
  | { snapshots: 'put' | 'write' | 'all' }
  /**
   * Accesses the packs of agents' files: `serve` reads and writes them, and makes links to them; `sync` reads them and
   * makes links to them; `settle` also deletes uploads; `collect` reads, lists and deletes packs; `archive` copies
   * packs, and stores and deletes archives of agents.
   */
  | { packs: 'serve' | 'sync' | 'settle' | 'collect' | 'archive' }
  /** Encrypts and decrypts keys of wallets with the platform's KMS key. */
  | { seal: 'wallets' }
  /** Reads and writes the files of the workspace: deployed, a file system mounted at WORKSPACE_ROOT. */
  | { files: 'workspace' }
  /** Calls a function without an address. */
  | { invoke: InvokedFunction }

/** A queue, declared with the one function that consumes it; each has a dead-letter queue. */
export interface QueueTrigger<Queue extends string> {
  kind: 'queue'
  queue: Queue
  batchSize: number
  /**
   * The time to collect messages for a batch. Default: 0. Batches of more than ten messages need at least a second.
   */
  batchWindowSeconds?: number
  /**
   * Deliveries before a message moves to the dead-letter queue, whose name is the queue's with `-dead` appended. The
   * delays between deliveries double from 2 s to 5 minutes: 8 deliveries cover a fault of 4 minutes, 20 a fault of an
   * hour, 300 a fault of a day. A killed process uses up one delivery of its message, and a second one if it leaves a
   * lease.
   */
  maxReceives: number
  /** The maximum number of concurrent batches of the function. Default: 10. */
  maxConcurrency?: number
}

export type TriggerOf<Queue extends string> =
  | {
      kind: 'http'
      surface: Surface
      /**
       * Each prefix becomes two routes, itself and everything below it; `{name}` matches any one segment. `/`
       * matches only the root; `$default` matches everything that no other prefix matches.
       */
      prefixes: readonly string[]
      /** Streams responses, for longer than an HTTP API allows (30 s). */
      streaming?: boolean
      /**
       * True if the function forwards requests: it receives the path and the query as they were sent, and a body of any
       * size as a stream, if the carrier supports streams. Lambda passes a whole body of at most 6 MB, in base64.
       */
      uploads?: boolean
    }
  | QueueTrigger<Queue>
  | { kind: 'schedule'; everyMinutes: number }
  /** Called only by other functions, with Lambda's Invoke. On one machine it runs in a separate process. */
  | { kind: 'invoke' }

/** @template Queue the names of all queues; any string while functions are declared */
export interface SpecOf<Queue extends string> {
  /** Unique, kebab-case; the name of the Lambda, its bundle folder and its log lines. */
  name: string
  /**
   * The entry module, relative to the repository's root; a route group exports `routes`, a job `job`, a schedule
   * `tick`, an invoked function `procedures`, each with `wire`.
   */
  entry: string
  /**
   * Imports (`imports` of package.json) that it loads on demand, by `import()`: Lambda's bundle has a separate file for
   * each, so that they do not slow cold starts. Each file has its own copy of the modules that it shares with the rest.
   */
  parts?: readonly string[]
  trigger: TriggerOf<Queue>
  memoryMb: number
  timeoutSeconds: number
  /**
   * Reserved concurrency: the instances that only this function can use, and its maximum. Without it the function
   * shares the remaining instances of the account.
   */
  reserved?: number
  grants: readonly GrantOf<Queue>[]
  settings: readonly SettingName[]
  secrets: readonly SecretName[]
  /** True if the function runs in the VPC, because it connects to agent containers at their private address. */
  vpc?: boolean
  /** The limit of import time and size, as a multiple of the smallest bundle: light 1, hot 1.25, standard 2. */
  budget: 'light' | 'hot' | 'standard'
  /**
   * Can also run as a service: containers that are paid by the hour instead of by the call, each with any number of
   * concurrent requests. SERVICES selects the services of a stage; docs/operate/deploy.md explains when to use them.
   */
  service?: ServiceSize
  /** Can also run as a worker, on workerd and at Cloudflare: docs/operate/edge.md lists the conditions. */
  edge?: boolean
}

/** The size and number of a service's containers. */
export interface ServiceSize {
  /** ECS CPU units: 1024 is one vCPU. */
  cpu: number
  memoryMb: number
  /** The average number of concurrent requests per container, which scaling tries to keep. */
  underWay: number
  least: number
  most: number
}

export interface PlanSize {
  plan: 'label' | 'solo' | 'collective' | 'network'
  /** ECS CPU units: 1024 is one vCPU. */
  cpu: number
  memoryMb: number
  /**
   * True if AWS's spare capacity is requested first, at about half the price; AWS takes it back with two minutes'
   * notice.
   */
  spot: boolean
}
