import { Exports, Imports } from './agent-archives.ts'
import { AgentOperations } from './agent-operations.ts'
import {
  AgentPayments,
  BrokerCredentials,
  Channels,
  BrokerRequests,
  ConnectionRequests,
  Connections,
  Config,
  Instance,
  Mandates,
  Messages,
  Policies,
  Senders,
  Snapshots,
  Verification,
} from './agent-parts.ts'
import { Files } from './files.ts'

/** The caller’s agents. */
export class Agents extends AgentOperations {
  readonly brokerCredentials = new BrokerCredentials(this.client)
  readonly channels = new Channels(this.client)
  readonly brokerRequests = new BrokerRequests(this.client)
  readonly config = new Config(this.client)
  readonly connectionRequests = new ConnectionRequests(this.client)
  readonly connections = new Connections(this.client)
  readonly exports = new Exports(this.client)
  readonly files = new Files(this.client)
  readonly imports = new Imports(this.client)
  readonly instance = new Instance(this.client)
  readonly mandate = new Mandates(this.client)
  readonly messages = new Messages(this.client)
  readonly policy = new Policies(this.client)
  readonly payments = new AgentPayments(this.client)
  readonly senders = new Senders(this.client)
  readonly snapshots = new Snapshots(this.client)
  readonly verification = new Verification(this.client)
}
