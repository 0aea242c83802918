import type * as z from 'zod'
import type { HttpAnswer, HttpRequest } from '#shared/platform/http-client/client.ts'
import type { GuardOptions } from '#shared/platform/http-client/guarded.ts'
import type { Can, Optional, Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Kind } from './kinds.ts'

/** The settings with the addresses of chat services. */
export type ServiceSetting =
  | 'EMAIL_IN_DOMAIN'
  | 'TELEGRAM_API_URL'
  | 'SLACK_API_URL'
  | 'WHATSAPP_API_URL'

type ServiceRequest = Pick<HttpRequest, 'method' | 'headers' | 'json' | 'body'> & {
  /** https, or http to this machine on one machine. */
  url: string
  /** Default: 30 s. */
  totalMs?: number
  /** The largest response. Default: 1 MB. */
  maxBytes?: number
}

/** The context of an adapter's calls of its service. */
export type AdapterContext = Pick<Context, 'log'> &
  Reads<ServiceSetting> &
  Can<'encryptionKey' | 'webUrl'> &
  /** Only functions that read or send mails have these. */
  Optional<Can<'mailer' | 'objects'>> & {
    /**
     * Sends a request to the service. Redirects are returned, not followed. A deployed stage sends it only to public
     * addresses.
     * @throws HttpFailure
     */
    http(request: ServiceRequest): Promise<HttpAnswer>
    guard: GuardOptions
    /** Epoch milliseconds. */
    now: number
  }

/** A request of the service to `/in/{kind}/{channelId}`. */
export interface Inbound {
  method: 'GET' | 'POST'
  headers: Headers
  query: URLSearchParams
  body: Uint8Array
}

/** A channel with its decrypted secrets. */
export interface OpenChannel {
  id: string
  agentId: string
  kind: Kind
  settings: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
}

export interface ChannelFile {
  id: string
  name: string
  /** The media type. */
  mime: string
  /** The size that the service declares. */
  bytes?: number | undefined
}

/** A message of a person on a channel. */
export interface ChannelEvent {
  /** The service's id, unique in the channel for 30 days. */
  id: string
  /** The chat; a thread or a topic is a chat of its own. At most 90 characters. */
  chat: string
  sender: { id: string; name: string; bot: boolean }
  text: string
  files: readonly ChannelFile[]
  /** The data that `send` needs to answer there. */
  replyTo: Readonly<Record<string, string>>
  /** Epoch milliseconds, from the service. */
  at: number
  /** False if an unknown sender gets no code: a bot, a message in a group that is not for the bot, or likely spam. */
  codes: boolean
  /** True if the event is ignored unless its chat exists, such as a reply in a thread that the bot has no part in. */
  onlyIfChat?: true
}

/** The result of an attempt to send a part of an answer. */
export type Outcome =
  | { state: 'sent'; serviceId?: string | undefined }
  /** The service did not carry it out; another attempt can succeed. */
  | { state: 'retry'; afterSeconds?: number | undefined; reason: string }
  | { state: 'failed'; reason: string }
  /** The service may have carried it out. */
  | { state: 'unknown'; reason: string }

/** A service's report about a message that it accepted. */
export interface Report {
  /** The key that the message was sent with. */
  key: string
  outcome: Extract<Outcome, { state: 'sent' | 'failed' }>
}

/** A part of an answer: one message of the service. */
export type Part =
  | { text: string }
  | { file: { name: string; mime: string; body: Uint8Array<ArrayBuffer> } }

/** The values of a channel that an adapter stores in addition to its owner's. */
export interface Stored {
  settings?: Readonly<Record<string, string>>
  secrets?: Readonly<Record<string, string>>
}

/** The properties of a kind of channel. Functions that never call its service need only these. */
export interface Traits {
  /** True if the signature identifies the sender, who then needs no approval. */
  signedSenders?: true
  /** Returns false if a channel only receives. Default: true. */
  answers?(channel: Pick<OpenChannel, 'settings'>): boolean
  /** True if the service carries out a part once, however often it is sent with the same key. */
  safeToRepeat: boolean
  /** Returns the id of a chat that policies and the agent's tools name. Default: the chat's id. */
  recipient?(replyTo: Readonly<Record<string, string>>): string | undefined
  /** Divides an answer into texts that the service accepts: limits.ts. */
  split(text: string): readonly string[]
  /** Returns why the service refuses a file; undefined if it may accept it. Default: it accepts all files. */
  refuses?(file: { name: string; mime: string; size: number }): string | undefined
  /** The service shows that an answer is being written for this time, in seconds. Absent if it cannot show it. */
  typingSeconds?: number
  /** True if the platform registers its address at the service, and removes it again. */
  isRegistered?: true
  /** True if the platform can poll the service for new messages. */
  isPolled?: true
}

/**
 * The client of one kind of channel. An adapter keeps no state: the channel's row has its settings and secrets. Its
 * folder has the files `traits`, `fields`, `verify`, `read`, `answer` and `set-up`.
 */
export interface Adapter extends Traits {
  /** The fields that PATCH can change, all optional. */
  change: z.ZodType<Record<string, unknown>>
  /** The fields of POST and PATCH that are stored encrypted and never returned. */
  secretFields: readonly string[]
  /** Makes the channel's secret. The responses to its creation and to its rotation contain it once, as `secret`. */
  makeSecret?(): string
  /**
   * Checks the signature of a request in constant time, and its age.
   * @throws PlatformError 401
   */
  verify(ctx: AdapterContext, channel: OpenChannel, inbound: Inbound): Promise<void>
  /** Returns the response to a request that only verifies the address. Called after `verify`. */
  challenge?(channel: OpenChannel, inbound: Inbound): Response | undefined
  /**
   * Returns the messages in a request; none for an unknown form.
   * @param now the time of receipt in epoch milliseconds, for services that send no time
   */
  read(
    channel: OpenChannel,
    inbound: Inbound,
    now: number,
  ): readonly ChannelEvent[] | Promise<readonly ChannelEvent[]>
  /** Returns what a request reports about messages that were sent. */
  reports?(channel: OpenChannel, inbound: Inbound): readonly Report[]
  /** Opens a file of a message. @throws PlatformError, 503 if another attempt can succeed; HttpFailure */
  download?(
    ctx: AdapterContext,
    channel: OpenChannel,
    file: ChannelFile,
  ): Promise<{ name: string; mime: string; body: AsyncIterable<Uint8Array> }>
  /**
   * Sends one part.
   * @param key the same for every attempt of this part
   */
  send(
    ctx: AdapterContext,
    channel: OpenChannel,
    input: { replyTo: Readonly<Record<string, string>>; part: Part; key: string },
  ): Promise<Outcome>
  /** Shows that an answer is being written. Best effort: its errors are ignored. */
  typing?(
    ctx: AdapterContext,
    channel: OpenChannel,
    replyTo: Readonly<Record<string, string>>,
  ): Promise<void>
  /**
   * Checks the credentials at the service and registers the address that receives its events. Called for a create and
   * for each change.
   * @param receiveUrl undefined without a public https address
   * @returns values to store with the channel
   * @throws PlatformError 400, 502
   */
  setUp(ctx: AdapterContext, channel: OpenChannel, receiveUrl: string | undefined): Promise<Stored>
  /** Removes the registration. @throws PlatformError 502 if another attempt can succeed; all other errors are final */
  tearDown?(ctx: AdapterContext, channel: OpenChannel): Promise<void>
  /**
   * Polls the service for new messages, if no public https address can receive them.
   * @param cursor the one that the last call returned; empty for the first call
   */
  poll?(
    ctx: AdapterContext,
    channel: OpenChannel,
    cursor: string,
  ): Promise<{ events: readonly ChannelEvent[]; cursor: string }>
}
