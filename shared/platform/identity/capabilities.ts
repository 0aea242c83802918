import type { QueueName } from '#shared/manifest/queues.ts'
import type { Config } from '../config/load.ts'
import type { Containers } from '../containers/port.ts'
import type { GuardOptions } from '../http-client/guarded.ts'
import type { ContainerLogs } from '../logs/port.ts'
import type { Mailer } from '../mail/port.ts'
import type {
  ObjectLinks,
  ObjectStore,
  PartialObjects,
  UploadLinks,
  WholeObjects,
} from '../objects/port.ts'
import type { Queues } from '../queues/port.ts'
import type { Sealer } from '../seal.ts'

/**
 * The ports of the platform and the values that verbs can receive in their context. Districts declare the capabilities
 * of their own ports next to the ports: `HasSigner`, `HasPayments`.
 */
export interface Capabilities {
  containers: Containers
  /** The lines that containers print. */
  logs: ContainerLogs
  mailer: Mailer
  /** Objects that are written and read whole. */
  objects: WholeObjects
  /** Objects that are written as streams. */
  objectStore: ObjectStore
  /** Objects that are read in parts, listed and composed. */
  packs: PartialObjects
  /** Signed links to objects. */
  links: ObjectLinks
  /** Signed links that store objects. */
  uploadLinks: UploadLinks
  /** Encrypts the platform's secrets. Use `Partial` in verbs that also work without WALLET_ENCRYPTION_KEY. */
  sealer: Sealer
  /** The private addresses that requests to users' hosts may reach. */
  guard: GuardOptions
  /** Returns epoch milliseconds; the system clock by default. */
  clock?: () => number
  /** WALLET_ENCRYPTION_KEY. */
  encryptionKey: string | undefined
  /** WEB_URL: the public address of the web surface. */
  webUrl: string
  /** ADMIN_EMAILS. */
  adminEmails: string[]
  /** True on AWS. */
  deployed: boolean
}

/** The named capabilities: `ctx: UserContext & Can<'mailer' | 'links'>`. */
export type Can<Name extends keyof Capabilities> = Pick<Capabilities, Name>

/** Queues to send to: `ctx: UserContext & Sends<'provisioning'>`. The function needs the grants `send`. */
export interface Sends<Queue extends QueueName> {
  queues: Queues<Queue>
}

/** Settings to read: `ctx: UserContext & Reads<'KILL_SWITCH'>`. The manifest grants them to the function. */
export interface Reads<Name extends Exclude<keyof Config, 'queueUrl'>> {
  config: Pick<Config, Name>
}

/** Makes members optional, as in `Optional<Sends<'webhook-deliveries'>>`. */
export type Optional<Members> = { [Name in keyof Members]?: Members[Name] | undefined }
