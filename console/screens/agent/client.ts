import {
  AgentPayments,
  BrokerCredentials,
  BrokerRequests,
  Channels,
  Config,
  ConnectionRequests,
  Connections,
  Mandates,
  Policies,
  Senders,
  Snapshots,
} from '../../../clients/typescript/resources/agent-parts.ts'
import { Files } from '../../../clients/typescript/resources/files.ts'
import { client } from '../../base/platform.ts'

/** The parts of agents that only their own pages use. */
export const agents = {
  brokerCredentials: new BrokerCredentials(client),
  brokerRequests: new BrokerRequests(client),
  channels: new Channels(client),
  config: new Config(client),
  connectionRequests: new ConnectionRequests(client),
  connections: new Connections(client),
  files: new Files(client),
  mandate: new Mandates(client),
  payments: new AgentPayments(client),
  policy: new Policies(client),
  senders: new Senders(client),
  snapshots: new Snapshots(client),
}
