import { Resource } from './resource.ts'

/** The requests of chat services and other senders to channels. */
export class ChannelRequests extends Resource {
  /** Proves to a service who owns the address of a channel. */
  prove = this.op('GET /in/{kind}/{channelId}')

  /** Receives a signed request of a channel’s service. */
  receive = this.opWithBody('POST /in/{kind}/{channelId}')
}
