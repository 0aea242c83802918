import type { Answer } from './core/answer.ts'
import { Client } from './core/client.ts'
import type { Operation } from './core/operation.ts'
import type { PlatformOptions, RequestOptions } from './core/options.ts'
import type { Input, Method } from './core/request.ts'
import type { Operations } from './generated/types.ts'
import { Account, Audit, Heartbeat, Keys, Settings } from './resources/account.ts'
import { Agents } from './resources/agents.ts'
import { Approvals } from './resources/approvals.ts'
import { Auth } from './resources/auth.ts'
import { Jobs, Runs, Swarms, Tasks, Videos } from './resources/automation.ts'
import { Billing, Payments } from './resources/billing.ts'
import { ChannelRequests } from './resources/channels.ts'
import { Chat } from './resources/chat.ts'
import { ConnectionSignIns } from './resources/connections.ts'
import { Storage } from './resources/files.ts'
import {
  BookingSettlement,
  Clones,
  Custody,
  InstantSplit,
  PaidGateway,
  PaymentGateway,
  Wallets,
  Withdrawals,
} from './resources/money.ts'
import { Mcp, OAuth } from './resources/oauth.ts'
import { Operator } from './resources/operator.ts'
import { Demo, Documents, Health, Models, SecurityEvents, Webhooks } from './resources/platform.ts'
import { Resource } from './resources/resource.ts'
import { Colony, Estimates, Fleet, Usage } from './resources/usage.ts'
import { WebhookEndpoints } from './resources/webhook-endpoints.ts'
import { Credentials, Memory, Skills } from './resources/workspace.ts'

/** Globals that exist only in browsers or only in Node. */
const surroundings = globalThis as {
  process?: { env?: Record<string, string | undefined> }
  location?: { origin: string }
}

/** The client of the platform's web API. */
export class Platform extends Resource {
  readonly account = new Account(this.client)
  readonly agents = new Agents(this.client)
  readonly approvals = new Approvals(this.client)
  readonly audit = new Audit(this.client)
  readonly auth = new Auth(this.client)
  readonly billing = new Billing(this.client)
  readonly bookingSettlement = new BookingSettlement(this.client)
  readonly channels = new ChannelRequests(this.client)
  readonly chat = new Chat(this.client)
  readonly clones = new Clones(this.client)
  readonly colony = new Colony(this.client)
  readonly connections = new ConnectionSignIns(this.client)
  readonly credentials = new Credentials(this.client)
  readonly custody = new Custody(this.client)
  readonly demo = new Demo(this.client)
  readonly documents = new Documents(this.client)
  readonly fleet = new Fleet(this.client)
  readonly health = new Health(this.client)
  readonly heartbeat = new Heartbeat(this.client)
  readonly instantSplit = new InstantSplit(this.client)
  readonly jobs = new Jobs(this.client)
  readonly keys = new Keys(this.client)
  readonly logs = this.agents.logs
  readonly memory = new Memory(this.client)
  readonly models = new Models(this.client)
  readonly operator = new Operator(this.client)
  readonly paidGateway = new PaidGateway(this.client)
  readonly paymentGateway = new PaymentGateway(this.client)
  readonly payments = new Payments(this.client)
  readonly runs = new Runs(this.client)
  readonly securityEvents = new SecurityEvents(this.client)
  readonly settings = new Settings(this.client)
  readonly skills = new Skills(this.client)
  readonly storage = new Storage(this.client)
  readonly swarms = new Swarms(this.client)
  readonly tasks = new Tasks(this.client)
  readonly usage = new Usage(this.client)
  readonly videos = new Videos(this.client)
  readonly wallets = new Wallets(this.client)
  readonly webhookEndpoints = new WebhookEndpoints(this.client)
  readonly oauth = new OAuth(this.client)
  readonly mcp = new Mcp(this.client)
  readonly estimates = new Estimates(this.client)
  readonly webhooks = new Webhooks(this.client)
  readonly withdrawals = new Withdrawals(this.client)

  constructor(options: PlatformOptions = {}) {
    const { env = {} } = surroundings.process ?? {}
    const baseUrl =
      options.baseUrl ??
      env.PLATFORM_URL ??
      surroundings.location?.origin ??
      'http://localhost:3000'
    const apiKey = options.apiKey ?? env.PLATFORM_API_KEY
    super(new Client({ ...options, baseUrl: baseUrl.replace(/\/+$/, ''), apiKey }))
  }

  /**
   * Sends any operation and returns the whole response body: `request('GET /api/agents/{id}', { params: { id } })`, or
   * `request('GET', '/api/agents')`.
   */
  request<N extends Operation>(
    operation: N,
    input?: Input,
    options?: RequestOptions,
  ): Answer<Operations[N]['answer']>
  request<T = unknown>(
    operation: `${Method} /${string}`,
    input?: Input,
    options?: RequestOptions,
  ): Answer<T>
  request<T = unknown>(
    method: Method,
    path: `/${string}`,
    input?: Input,
    options?: RequestOptions,
  ): Answer<T>
  request(
    operation: string,
    second: Input | string = {},
    third?: Input | RequestOptions,
    fourth?: RequestOptions,
  ): Answer<unknown> {
    return typeof second === 'string'
      ? this.client.request(`${operation} ${second}`, (third ?? {}) as Input, fourth)
      : this.client.request(operation, second, third as RequestOptions | undefined)
  }
}
