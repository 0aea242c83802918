/** Written by `npm run api` from the routes of the web surface. */

export interface AccountChange {
  name?: string | undefined
  email?: string | undefined
  /** Required to change the email; a user without a password must have signed in within 15 minutes */
  currentPassword?: string | undefined
}

export interface AccountDeletion {
  password?: string | undefined
  /** The email address of the account; required if it has no password */
  confirm?: string | undefined
}

export interface Agent {
  id: string
  name: string
  model: string
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
  websocketUrl: string
  createdAt: string
  updatedAt: string
}

export type AgentAction = {
  action: "chat"
  agentId?: string | undefined
  message: string
  sessionId?: string | undefined
} | {
  action: "create-session"
  agentId?: string | undefined
} | {
  action: "update-skill"
  agentId?: string | undefined
  skillId: string
  enabled: boolean
} | {
  action: "set-credential"
  agentId?: string | undefined
  key: string
  value: string | null
}

export type AgentActionAnswer = {
  sessionId: string
  reply: string
  timestamp: string
} | {
  sessionId: string
  status: "created"
} | {
  success: true
  skillId: string
  enabled: boolean
  deployed: boolean
} | {
  success: true
  key: string
  saved: boolean
}

export type AgentAnswer = {
  agent: {
    id: string
    name: string
    model: string
    plan: string
    status: "pending" | "provisioning" | "running" | "stopped" | "error"
    createdAt: string
  }
  actions: {
    GET: string[]
    POST: string[]
  }
} | {
  agentId: string
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
  healthy: boolean
  failing: string[]
  uptimeMs: number | null
  error: string | null
} | Memory | {
  skills: InstalledSkill[]
  count: number
} | {
  credentials: {
    key: string
    updatedAt: string
  }[]
  count: number
} | SessionList | SessionDetail

export type AgentConfig = Record<string, unknown>

export interface AgentConfigChange {
  plan?: string | null | undefined
  aiProvider?: string | null | undefined
  model?: string | null | undefined
  systemPrompt?: string | null | undefined
  webhookUrl?: string | null | undefined
  webhookSecret?: string | null | undefined
  /** Idle minutes before the agent sleeps; null for never */
  sleepAfterMinutes?: number | null | undefined
  /** USD per calendar month in UTC */
  spendCapUsd?: number | null | undefined
  /** USD per day in UTC */
  spendCapUsdPerDay?: number | null | undefined
  /** True if paying callers can message the agent through /api/v1/gateway */
  paidGateway?: boolean | null | undefined
  /** True if a message from another agent wakes the agent */
  wakeOnMessage?: boolean | null | undefined
  /** True if the model can send messages to other agents and read theirs */
  bus?: boolean | null | undefined
  /** True if the agent can access its own memory, schedules and usage by MCP */
  mcp?: boolean | null | undefined
  telegramToken?: string | null | undefined
  discordBotToken?: string | null | undefined
  whatsappToken?: string | null | undefined
  [other: string]: unknown
}

export interface AgentDetail {
  id: string
  name: string
  model: string
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
  websocketUrl: string
  createdAt: string
  updatedAt: string
  plan: string
  subdomain: string
  url: string
  runtimeVersion: string | null
  startedAt: string | null
  /** Idle minutes before the agent sleeps; null for never */
  sleepAfterMinutes: number | null
  stopReason: {
    code: string
    exitCode: number | null
    text: string
    at: string
  } | null
  /** The image that a person chose; absent for the platform’s own */
  ownImage?: {
    image: string
    changedAt: string | null
    /** The credential: `session`, `key:<id>`, `program:<id>` or another actor */
    changedBy: string | null
  } | undefined
  warnings?: ConfigWarning[] | undefined
  watchdog: Watchdog
}

export interface AgentEvent {
  at: string
  kind: "created" | "started" | "stopped" | "restarted" | "crashed" | "repaired" | "given_up" | "updated" | "restored" | "configured" | "deleted"
  text: string
  /** `user:<id>`, `operator:<id>` or `platform`; null if unknown */
  by: string | null
}

export interface AgentExport {
  state: "queued" | "running" | "done" | "failed"
  /** The archive; null until it is done */
  url: string | null
  /** ISO 8601; an hour after the export is done */
  expiresAt: string | null
  bytes: number | null
}

export interface AgentFileEntry {
  name: string
  path: string
  type: "file" | "folder"
  /** In bytes; null for a folder */
  size: number | null
  /** ISO 8601 */
  modified: string
}

export interface AgentFileList {
  entries: AgentFileEntry[]
  /** The next page; null at the end */
  cursor: string | null
}

export interface AgentFileMove {
  /** Relative to the agent’s workspace, without “.”, “..” or empty segments */
  from: string
  /** Relative to the agent’s workspace, without “.”, “..” or empty segments */
  to: string
  /** Replaces what exists at `to` */
  overwrite?: boolean | undefined
}

export interface AgentFileUpload {
  /** Send the bytes to this address, once */
  url: string
  method: "PUT"
  /** Headers that the request must have */
  headers: Record<string, string>
  /** ISO 8601 */
  expiresAt: string
}

export interface AgentImportLink {
  importId: string
  /** Send the archive to this address, once */
  url: string
  method: "PUT"
  /** Headers that the request must have */
  headers: Record<string, string>
  /** ISO 8601 */
  expiresAt: string
}

export interface AgentList {
  agents: Agent[]
  count: number
  status: "ok"
}

export interface AgentPayment {
  id: string
  at: string
  host: string
  /** With its checksum (EIP-55) */
  payee: string
  /** With six decimals */
  usd: string
  /** held and sent count against the mandate; settled: the chain has it; returned: it expired unused */
  state: "held" | "sent" | "settled" | "returned"
  txHash: string | null
  approvalId: string | null
}

export interface AgentStats {
  agentId: string
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
  cpu: number | null
  memory: number | null
  memoryPercent: number | null
  uptimeMs: number | null
  /** Messages from the owner */
  messagesProcessed: number
  averageResponseMs: number | null
  successRate: number | null
  errorRate: number | null
}

export interface AgentTraffic {
  /** The day, in UTC */
  date: string
  /** Bytes that its containers sent today, as of the last check; null if nothing was counted, as on one machine */
  sentBytes: number | null
  /** Bytes that its containers wrote to the log today, as of the last check; null if nothing was counted, as on one machine */
  printedBytes: number | null
  /** Sent bytes a day, above which its owner gets a mail */
  includedBytes: number
  /** Sent bytes a day, at which the agent is stopped */
  mostBytes: number
}

export interface AgentWithChannels {
  success: true
  userId: string
  agentId: string
  aiProvider: string
  plan: string
  subdomain: string
  url: string
  status: "pending" | "provisioning" | "active" | "stopped" | "error"
  createdAt: string
  channels: {
    telegram: boolean
    discord: boolean
    whatsapp: boolean
  }
}

export interface Approval {
  id: string
  agentId: string
  action: string
  summary: string
  details: ApprovalDetails
  state: "pending" | "approved" | "denied" | "expired" | "done" | "failed"
  createdAt: string
  expiresAt: string
  decidedAt: string | null
  /** `user:<id>` */
  decidedBy: string | null
  note: string | null
  result: ApprovalResult | null
}

export interface ApprovalDecision {
  decision: "approve" | "deny"
  /** Remembers the decision for the same agent, action and target: for an hour, or always, by a rule of the policy */
  remember?: "hour" | "always" | undefined
  /** The agent is told this text */
  note?: string | undefined
}

export interface ApprovalDetails {
  target: Record<string, string>
  /** The amount of a payment, with 6 decimals */
  usd?: string | undefined
  session: string
  /** The request as it will be carried out; not in lists */
  request?: Record<string, unknown> | null | undefined
  /** The body of the request; null without one, or if it is not text */
  body?: string | null | undefined
  bodyBytes?: number | undefined
}

export type ApprovalResult = {
  error: string
} | {
  /** The HTTP status of the response */
  status?: number | undefined
  /** The response body, truncated to 24,000 bytes; null if it is not text */
  body?: string | null | undefined
  paymentId?: string | undefined
}

export interface AuditEntry {
  seq: number
  at: string
  actor: string
  action: string
  target: string
  before: string | null
  after: string | null
  requestId: string
  previous: string
  hash: string
}

export interface Billing {
  plans: Plan[]
  currentPlan: string
  subscriptionStatus: "inactive" | "trialing" | "active" | "past_due" | "canceled"
  /** Null if the subscription is not a trial */
  trial: {
    endsAt: string
  } | null
  /** Paid storage in addition to the plan’s, in GB */
  storageGb: number
  byokEnabled: boolean
  /** Tokens in the calendar month in UTC, without calls served by the user’s own keys */
  usage: {
    used: number
    /** Null for no limit */
    quota: number | null
    /** Null for no limit */
    remaining: number | null
    resetsAt: string
  }
  /** Agents that run or start, and the limit; null for no limit */
  awakeAgents: {
    current: number
    limit: number | null
  }
}

export type BillingAction = {
  action: "create-checkout"
  plan: "label" | "solo" | "collective" | "network"
} | {
  action: "enable-byok"
  provider: string
  apiKey: string
} | {
  action: "disable-byok"
  /** If absent, all keys are removed */
  provider?: string | undefined
} | {
  action: "get-usage"
} | {
  action: "buy-credits"
  pack: 50 | 200 | 500
}

export type BillingActionAnswer = {
  url: string
} | {
  success: true
  byokEnabled: boolean
} | {
  /** Tokens in the calendar month in UTC, without calls served by the user’s own keys */
  usage: {
    used: number
    /** Null for no limit */
    quota: number | null
    /** Null for no limit */
    remaining: number | null
    resetsAt: string
  }
}

export interface Booking {
  /** The id of the message that opened the booking */
  bookingId: string
  status: "offered" | "accepted" | "declined"
  /** The agent that opened the booking */
  from: string
  to: string
  eventId: number | string | null
  talentName: string | null
  /** The amount of the latest offer */
  amount: string
  currency: string
  /** The agent that made the latest offer */
  offeredBy: string
  /** The split that pays the booking; null before settlement */
  splitId: number | null
  history: {
    messageId: string
    action: string
    from: string
    amount: string
    currency: string
    at: string
  }[]
  createdAt: string
  updatedAt: string
}

export interface BookingSettlement {
  success: true
  bookingId: string
  /** The split that pays the booking; null before settlement */
  splitId: number | null
  /** The status of the split, or of the booking before settlement */
  status: "queued" | "processing" | "completed" | "failed" | "offered" | "accepted" | "declined"
  /** Only for the action status */
  booking?: Booking | undefined
}

export type BookingSettlementAction = {
  action: "list"
} | {
  action: "status"
  bookingId: string
} | {
  action: "settle"
  bookingId: string
}

export interface BrokerCredential {
  name: string
  hosts: string[]
  createdAt: string
}

export interface BrokerCredentialDeleted {
  success: true
  name: string
}

export interface BrokerRequest {
  at: string
  name: string
  method: string
  host: string
  /** Null if the host did not respond */
  status: number | null
  /** Forwarded bytes of the response body; null until it ends */
  bytes: number | null
}

export interface CancelledRun {
  id: string
  state: "cancelling"
}

export interface Channel {
  id: string
  kind: "telegram" | "slack" | "whatsapp" | "email" | "webhook"
  /** The fields that are not secret */
  settings: Record<string, string>
  /** The address of an email channel */
  address?: string | undefined
  /** The address for the service; null if it is polled, and for mail */
  receiveUrl: string | null
  /** Senders who wait */
  waiting: number
  createdAt: string
}

export type ChannelChange = EmailChannelChange | SlackChannelChange | TelegramChannelChange | WebhookChannelChange | WhatsappChannelChange

export interface ChannelDeleted {
  success: true
  id: string
}

export interface ChannelDelivery {
  id: string
  at: string
  chat: string
  /** The beginning of the text */
  text: string
  /** unknown: sending it was interrupted, and not repeated */
  state: "waiting" | "sent" | "failed" | "unknown"
  reason: string | null
  attempts: number
}

export interface ChatAnswer {
  id: string
  agentId: string
  message: string
  reply: string
  model: string | null
  usage: TokenUsage | null
  timestamp: string
}

export interface ChatRequest {
  message: string
  agentId?: string | undefined
  topic?: string | undefined
  stream?: boolean | undefined
}

export interface ChatTopic {
  topic: string
  lastAt: string
  messages: number
}

export interface Clone {
  success: true
  agentId: string
  parentAgentId: string
  name: string
  generation: number
  specialization: "general" | "ar" | "promo" | "booking" | "support" | "analytics"
  /** The wallet of the clone */
  walletAddress: string
  transactionHash: string
}

export interface CloneRequest {
  parentAgentId: string
  name: string
  specialization?: "general" | "ar" | "promo" | "booking" | "support" | "analytics" | undefined
  generation?: number | undefined
  paymentProof: {
    transactionHash: string
    amount: string
    currency: "pathUSD"
    chainId: 4217
    from: string
    to: string
    timestamp: number
  }
}

export interface CloneService {
  service: "agent-clone"
  version: string
  protocol: "x402-tempo"
  clonePrice: string
  chainId: number
}

export interface ColonyDiagnostics {
  agents: {
    total: number
    running: number
    stopped: number
    failed: number
  }
  /** The highest generation */
  generations: number
  clones: number
  gateway: "reachable" | "unreachable" | "not configured"
  timestamp: string
}

export interface ColonyNode {
  id: string
  name: string
  generation: number
  /** Null if the agent is not a clone */
  specialization: "general" | "ar" | "promo" | "booking" | "support" | "analytics" | null
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
  /** Fitness from 0 to 100; null if the x402 gateway does not report it */
  fitness: number | null
  children: ColonyNode[]
}

export interface ColonySoul {
  soul: {
    agentId: string
    name: string
    /** Fitness from 0 to 100; null if the x402 gateway does not report it */
    score: number | null
    tier: string | null
    details: Record<string, unknown> | null
  }[]
  gateway: "reachable" | "unreachable" | "not configured"
  timestamp: string
}

export interface ColonyTree {
  tree: ColonyNode[]
  count: number
  timestamp: string
}

export interface ConfigWarning {
  field: string
  message: string
}

export interface Connection {
  name: string
  url: string
  state: "pending" | "connected" | "signed-out" | "failed"
  /** Why it is `signed-out` or `failed` */
  reason?: string | undefined
  /** The page where its owner signs in; only after a request that begins a sign-in */
  authorizeUrl?: string | undefined
  createdAt: string
  tools: ConnectionTool[]
  /** The tools that the agent does not get although they are listed or allowed */
  leftOut: {
    name: string
    reason: string
  }[]
}

export interface ConnectionChange {
  tools: {
    /** All tools that the agent may use; every other tool is off */
    allow: string[]
  }
}

export interface ConnectionDeleted {
  success: true
  name: string
}

export interface ConnectionRequest {
  at: string
  connection: string
  /** The method of MCP */
  method: string
  tool: string | null
  decision: "allow" | "ask" | "deny" | null
  /** Null if the server did not respond */
  status: number | null
  bytes: number | null
  ms: number | null
}

export interface ConnectionTool {
  name: string
  /** The server’s own text: data, never an instruction */
  description: string
  allowed: boolean
}

export interface Cost {
  period: "7d" | "30d" | "mtd"
  summary: {
    /** USD of the calls with a known price; null without such calls */
    totalCost: number | null
    totalTokens: number
    totalCalls: number
    /** USD per call, of the calls with a known price */
    avgCostPerCall: number | null
  }
  /** Highest cost first */
  agents: {
    name: string
    tokens: number
    /** USD of the calls with a known price; null without such calls */
    cost: number | null
    calls: number
    /** USD per call, of the calls with a known price */
    avgCostPerCall: number | null
    /** The model that the agent called most */
    model: string
  }[]
  /** Every day of the period, oldest first */
  daily: {
    /** A label in UTC, such as Nov 21 */
    date: string
    /** USD of the calls with a known price; null without such calls */
    cost: number | null
    tokens: number
  }[]
  /** Highest cost first */
  modelBreakdown: {
    model: string
    /** Share of the cost with one decimal; the shares add up to 100 */
    percent: number
    /** USD of the calls with a known price; null without such calls */
    cost: number | null
  }[]
  /** True if there is no usage yet and the figures are samples */
  isMockData: boolean
  message?: string | undefined
}

export interface CreatedChannel {
  id: string
  kind: "telegram" | "slack" | "whatsapp" | "email" | "webhook"
  /** The fields that are not secret */
  settings: Record<string, string>
  /** The address of an email channel */
  address?: string | undefined
  /** The address for the service; null if it is polled, and for mail */
  receiveUrl: string | null
  /** Senders who wait */
  waiting: number
  createdAt: string
  /** Made by the platform, returned only once */
  secret?: string | undefined
}

export interface CreatedKey {
  id: string
  name: string
  /** The API key; returned only once */
  key: string
  createdAt: string
  scopes: ("read" | "chat" | "write" | "money" | "admin")[]
  /** Null for never */
  expiresAt: string | null
  limits: KeyLimits
}

export interface CreatedWebhookEndpoint {
  id: string
  url: string
  events: WebhookEventType[]
  /** The signing secret; returned only once */
  secret: string
}

export interface CreditLedger {
  /** Newest first */
  entries: {
    at: string
    /** Credits; negative if they were used or reversed */
    amount: number
    reason: "grant" | "use" | "refund" | "referral"
    /** Credits after the transaction */
    balance: number
  }[]
}

export interface Credits {
  credits: number
  referralCode: string
  referralCount: number
  plan: string
}

export interface DecidedSender {
  /** The sender’s id at the chat service */
  id: string
  /** The sender’s name at the chat service; null if unknown */
  name: string | null
  state: "pending" | "approved" | "blocked"
  /** The code that the bot sent them; null after the decision */
  code: string | null
  /** True if the bot already uses the decision; otherwise it takes effect at the agent’s next start */
  applied: boolean
}

export interface DeletedAgent {
  id: string
  deleted: true
}

export interface DeletedAgentFile {
  path: string
  deleted: true
}

export interface DemoAnswer {
  id: string
  /** The model that served the request */
  model: string
  message: string
  usage: {
    prompt_tokens: number
    completion_tokens: number
    total_tokens: number
  }
  done: true
}

export interface DemoModel {
  id: string
  name: string
  provider: string
}

export interface DemoRequest {
  /** Truncated to 4000 characters */
  message: string
  /** The id of a listed model; default: the first */
  model?: string | undefined
  /** Ignored */
  mode?: string | undefined
  /** Earlier messages: only the newest 20 messages of the role user are used, each truncated to 4000 characters. Together with the message they can have 16000 characters: the oldest are omitted first */
  conversation?: {
    role: string
    content: string
  }[] | undefined
}

export interface DuplicateRequest {
  name: string
}

export type EmailChannelChange = Record<string, unknown>

export interface EmailReceived {
  received: true
  /** rejected: the sender is not on the list; rate_limited: more than ten in an hour */
  action: "processed" | "rejected" | "rate_limited"
}

export interface EndpointDescription {
  endpoint: string
  method: string
  description: string
  accepts: {
    fields: string[]
    configured: boolean
  }[]
}

export interface Error {
  error: string
  code?: string | undefined
}

export interface Estimate {
  model: string
  inputTokens: number
  /** USD per call with an answer of one token; null if the price is unknown */
  low: number | null
  /** USD per call with an answer of maxTokens */
  high: number | null
  currency: "USD"
  /** 30 days with runsPerDay calls; null without runsPerDay */
  perMonth: {
    low: number | null
    high: number | null
  } | null
  /** USD left of the spend cap that has the least left: the monthly and daily caps of the user and the agent, and the limits of the API key; null without any */
  capRemaining: number | null
  /** Tokens left in the plan’s quota; null for no limit */
  quotaRemaining: number | null
  note: string
}

export interface EstimateQuestion {
  agentId?: string | undefined
  /** Has precedence over agentId */
  model?: string | undefined
  /** In the format of POST /v1/chat/completions */
  messages?: {
    content: unknown
    [other: string]: unknown
  }[] | undefined
  prompt?: string | undefined
  maxTokens?: number | undefined
  runsPerDay?: number | undefined
}

export interface FarcasterSession {
  success: true
  /** A JWT, valid for one hour */
  sessionToken: string
  fid: number
  address: string | null
  /** True if the address holds the platform’s token */
  tokenGated: boolean
  accessLevel: "holder" | "basic"
}

export interface FleetCosts {
  costs: {
    agentId: string
    agentName: string
    status: "pending" | "provisioning" | "running" | "stopped" | "error"
    /** USD in this month; null if no price is known */
    cost: number | null
    createdAt: string
  }[]
  /** USD; the sum of the known costs */
  totalSpend: number
  plan: string
}

export interface FleetEdge {
  id: string
  /** The sender of the latest message */
  source: string
  target: string
  /** The action of the latest message */
  label: string
}

export interface FleetGraph {
  nodes: FleetNode[]
  edges: FleetEdge[]
  timestamp: string
}

export interface FleetNode {
  id: string
  name: string
  type: "agent"
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
  metadata: {
    model: string | null
    plan: string | null
    createdAt: string
  }
}

export interface FleetTrace {
  /** Time of the user’s message */
  id: string
  agentId: string
  agentName: string | null
  status: "completed" | "failed" | "running"
  /** The first 200 characters of the user’s message */
  description: string
  model: string | null
  tokensUsed: number | null
  /** Null if the calls of the turn cannot be determined */
  costUsd: number | null
  startedAt: string
  completedAt: string | null
}

export interface FleetTraces {
  traces: FleetTrace[]
}

export interface GatewayAgentAnswer {
  id: string
  agentId: string
  reply: string
  model: string | null
  usage: TokenUsage | null
  timestamp: string
  plugin: "agent"
}

export type GatewayRequest = {
  plugin: "generate-text"
  prompt?: string | undefined
  /** Alternative to prompt */
  messages?: {
    role: "system" | "user" | "assistant"
    content: string
  }[] | undefined
  /** A model of the label plan */
  model?: string | undefined
  max_tokens?: number | undefined
} | {
  plugin: "agent"
  agentId: string
  message: string
}

export interface GatewayTextAnswer {
  plugin: "generate-text"
  id: string
  /** The model that served the request */
  model: string
  text: string
  usage: TokenUsage
}

export interface Heartbeat {
  frequency: "30m" | "1h" | "2h" | "3h" | "6h" | "12h" | "24h"
  enabled: boolean
  /** When the user’s installation was last seen */
  lastHeartbeat: string | null
  /** Null if disabled or before the first heartbeat */
  nextHeartbeat: string | null
}

export interface Incident {
  at: string
  cause: string
  step: "detected" | "restart" | "healthy_config" | "healthy_image" | "crash_loop"
  attempt: number
  resolvedAt: string | null
}

export interface InstalledSkill {
  id: string
  name: string
  description: string
  version: string
  enabled: boolean
  installedAt: string
}

export interface Instance {
  userId: string | null
  agentId: string
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
  startedAt: string | null
  subdomain: string
  url: string
  plan: string
  runtimeVersion: string | null
}

export interface InstanceImage {
  success: true
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
  image: string
  previousImage: string
  runtimeVersion: string | null
}

export interface InstanceRestart {
  success: true
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
  runtimeVersion: string | null
}

export interface InstanceState {
  success: true
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
}

export interface InstanceStats {
  userId: string | null
  agentId: string
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
  health: "healthy" | "starting" | "stopped" | "unhealthy"
  cpu: number | null
  memory: number | null
  uptimeMs: number | null
  /** Messages since the container started, as counted by the container; null if it does not report them */
  messages: number | null
  /** Messages that the agent could not answer since the container started, as counted by the container; null if it does not report them */
  errors: number | null
  runtimeVersion: string | null
}

export type InstantSplitAction = {
  agentId: string
  name: string
  /** USDC */
  totalAmount: string
  recipients: {
    address: string
    /** Percent of the total */
    share: number
  }[]
  action: "create"
} | {
  action: "status"
  splitId: number | string
} | {
  action: "retry"
  splitId: number | string
} | {
  action: "list"
}

export interface Job {
  id: string
  type: "video"
  /** `processing` once the provider has accepted the job */
  status: "queued" | "processing" | "completed" | "failed"
  /** The video of a completed job; valid for one hour and new in each response */
  url: string | null
  /** Why the job failed, as the provider reports it */
  error: string | null
  createdAt: string
  updatedAt: string
}

export interface JsonRpcAnswer {
  jsonrpc: "2.0"
  id?: string | number | null | undefined
  [other: string]: unknown
}

export interface JsonRpcError {
  jsonrpc: "2.0"
  id: string | number | null
  error: {
    code: number
    message: string
  }
}

export interface JsonRpcMessage {
  jsonrpc: "2.0"
  id?: string | number | undefined
  method?: string | undefined
  params?: Record<string, unknown> | undefined
  [other: string]: unknown
}

export interface Key {
  id: string
  name: string
  keyPreview: string
  createdAt: string
  lastUsed: string | null
  scopes: ("read" | "chat" | "write" | "money" | "admin")[]
  /** Null for never */
  expiresAt: string | null
  limits: KeyLimits
}

export interface KeyChange {
  name?: string | undefined
  limits?: KeyLimitsChange | undefined
}

export interface KeyHolder {
  valid: true
  userId: string
  plan: "label" | "solo" | "collective" | "network" | "free"
  features: ("dashboard" | "agents" | "chat" | "usage" | "marketplace" | "underground" | "priority")[]
  email: string
  subscriptionStatus: string
}

export type KeyLimits = {
  /** The models that the key may use */
  models?: string[] | undefined
  /** Model calls per minute of the clock */
  requestsPerMinute?: number | undefined
  /** USD per day in UTC */
  usdPerDay?: number | undefined
  /** USD per calendar month in UTC */
  usdPerMonth?: number | undefined
  routing?: Routing | undefined
} | null

export type KeyLimitsChange = {
  models?: string[] | null | undefined
  requestsPerMinute?: number | null | undefined
  usdPerDay?: number | null | undefined
  usdPerMonth?: number | null | undefined
  routing?: Routing | null | undefined
} | null

export interface LogEvent {
  type: "connected" | "line" | "exit"
  agentId: string
  text?: string | undefined
  /** The exit code; null if unknown */
  code?: number | null | undefined
}

export interface LogHistory {
  agentId: string
  lines: {
    at: string
    text: string
  }[]
  streaming: boolean
  clients: number
}

export interface MachineHealth {
  status: "ok"
  health: "healthy" | "degraded" | "unhealthy"
  timestamp: string
  cpu: {
    usage: number
    cores: number
  }
  memory: {
    usage: number
    total: number
    used: number
    free: number
  }
  uptime: number
}

export interface Mandate {
  perPaymentUsd: string
  perDayUsd: string
  perMonthUsd: string
  hosts: string[] | null
  payees: string[] | null
  askAboveUsd: string | null
  validUntil: string | null
  /** The payments of today (UTC) that count */
  usedTodayUsd: string
  /** The payments of this calendar month (UTC) that count */
  usedThisMonthUsd: string
}

export interface MandateDeleted {
  success: true
}

export interface Memory {
  memory: Record<string, string>
  agentId: string
  count: number
  lastUpdated: string | null
}

export interface MemoryChange {
  agentId: string
  key?: string | undefined
  memory: string | null | Record<string, string | null>
}

export interface MemoryDeletion {
  agentId: string
  key: string
}

export interface Message {
  id: string
  agentId: string
  sender: "user" | "agent"
  content: string
  timestamp: string
  platform: string
  /** Present on a reply whose turn was cancelled */
  cancelled?: true | undefined
  /** The reason for the cancellation; null without a reason */
  reason?: string | null | undefined
  /** Present on a reply if the request names a topic */
  model?: string | null | undefined
  /** Present on a reply if the request names a topic */
  usage?: TokenUsage | null | undefined
}

export interface Metrics {
  agents: {
    total: number
    /** Running */
    active: number
    /** Agents that are not running and have not failed */
    inactive: number
    failed: number
  }
  messages: {
    today: number
    /** Since Monday, in UTC */
    thisWeek: number
    thisMonth: number
  }
  /** The latest deployment of each agent; a deployment in progress is counted only in the total */
  deployments: {
    total: number
    successful: number
    failed: number
  }
  /** Of model calls in this month */
  performance: {
    /** Milliseconds; null without calls */
    averageResponseMs: number | null
    /** From 0 to 1; null without calls */
    successRate: number | null
  }
}

export interface Model {
  id: string
  /** The id if the provider has no other name */
  name: string
  /** The provider that serves it */
  provider: string
  /** Tokens */
  contextWindow: number | null
  /** USD per million tokens */
  inputCost: number | null
  /** USD per million tokens */
  outputCost: number | null
}

export interface MoneySkill {
  skill: string
  version: string
  description: string
  currency: "USDC"
  actions: {
    name: string
    description: string
  }[]
}

export interface MovedAgentFile {
  from: string
  to: string
}

export interface NewAgent {
  name: string
  model?: "claude-opus-4-6" | "gpt-4" | "custom" | undefined
  config?: AgentConfigChange | undefined
  /** starter, pro or enterprise */
  tier?: string | undefined
}

export interface NewAgentFileUpload {
  /** Relative to the agent’s workspace, without “.”, “..” or empty segments */
  path: string
  /** The exact size in bytes */
  size: number
}

export interface NewAgentImport {
  /** The exact size of the archive in bytes */
  size: number
}

export interface NewAgentView {
  id: string
  name: string
  model: string
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
  websocketUrl: string
  createdAt: string
}

export interface NewAgentWithChannels {
  /** Default and maximum: the user's own plan */
  plan?: string | undefined
  aiProvider?: string | undefined
  telegramToken?: string | undefined
  discordBotToken?: string | undefined
  whatsappToken?: string | undefined
  name?: string | undefined
}

export interface NewBrokerCredential {
  name: string
  /** `api.example.com` or `api.example.com:8443`; lower case, no wildcard, no IP address */
  hosts: string[]
  /** `authorization: Bearer {value}` */
  header: string
  /** Stored encrypted; never returned */
  value: string
}

export type NewChannel = NewEmailChannel | NewSlackChannel | NewTelegramChannel | NewWebhookChannel | NewWhatsappChannel

export interface NewConnection {
  name: string
  /** The address of a remote MCP server (streamable HTTP) */
  url: string
  /** The client that its owner has registered at the authorization server, if that lets no client register itself */
  client?: {
    id: string
    /** Stored encrypted; never returned */
    secret?: string | undefined
  } | undefined
}

export interface NewEmailChannel {
  kind: "email"
}

export interface NewKey {
  name: string
  /** Default: read, chat and write; money and admin require a session */
  scopes?: ("read" | "chat" | "write" | "money" | "admin")[] | undefined
  /** Null or absent for never */
  expiresAt?: string | null | undefined
  limits?: KeyLimitsChange | undefined
}

export interface NewMandate {
  /** Largest payment, a decimal string */
  perPaymentUsd: string
  /** Of all payments of a day, UTC */
  perDayUsd: string
  /** Of all payments of a calendar month, UTC */
  perMonthUsd: string
  /** Hosts that may be paid; null for any host, [] for none */
  hosts?: string[] | null | undefined
  /** Addresses that may be paid; null for any address, [] for none */
  payees?: string[] | null | undefined
  /** A payment above it waits for an approval */
  askAboveUsd?: string | null | undefined
  validUntil?: string | null | undefined
}

export interface NewScheduledTask {
  name: string
  /** Five fields: minute hour day month weekday */
  cronSchedule: string
  prompt: string
  agentId: string
  description?: string | null | undefined
  enabled?: boolean | undefined
  /** An IANA name, such as Europe/London */
  timezone?: string | undefined
}

export interface NewSlackChannel {
  kind: "slack"
  /** The "Bot User OAuth Token" of the app */
  botToken: string
  /** The "Signing Secret" of the app */
  signingSecret: string
}

export interface NewSnapshot {
  name?: string | null | undefined
}

export interface NewSwarm {
  name: string
  description?: string | null | undefined
  agents: string[]
}

export interface NewTelegramChannel {
  kind: "telegram"
  token: string
}

export interface NewTelemetry {
  /** The URL of the collector; null disables telemetry */
  otlpUrl: string | null
  /** Sent with every request; never returned */
  headers?: Record<string, string> | undefined
  /** True if spans include prompts and answers */
  content?: boolean | undefined
}

export interface NewUser {
  id: string
  email: string
  name: string
}

export interface NewVideo {
  prompt: string
  /** Length of the video; default: the provider’s choice */
  seconds?: number | string | undefined
  /** Width x height in pixels; default: the provider’s choice */
  size?: string | undefined
}

export interface NewWebhookChannel {
  kind: "webhook"
  /** The message to the agent. `{{body.a.b}}` is replaced by a field of the JSON body */
  promptTemplate: string
  /** Receives the answers, signed by the same secret */
  answerUrl?: string | undefined
}

export interface NewWebhookEndpoint {
  url: string
  events: WebhookEventType[]
}

export interface NewWhatsappChannel {
  kind: "whatsapp"
  /** The access token of a system user */
  accessToken: string
  /** The "Phone number ID" of the number */
  phoneNumberId: string
  /** The "App secret" of the app */
  appSecret: string
  /** A text of your own, which you enter at Meta too */
  verifyToken: string
}

export interface NewWithdrawal {
  agentId: string
  to: string
  /** USDC, a decimal string */
  amount: string
  /** Needed if the session is older than 15 minutes */
  currentPassword?: string | undefined
}

export interface OAuthClient {
  client_id: string
  client_id_issued_at: number
  client_name: string
  redirect_uris: string[]
  grant_types: string[]
  response_types: string[]
  token_endpoint_auth_method: "none"
}

export interface OAuthClientDocument {
  client_id: string
  client_name: string
  client_uri: string
  redirect_uris: string[]
  grant_types: string[]
  response_types: string[]
  application_type: string
  token_endpoint_auth_method: string
}

export interface OAuthClientMetadata {
  client_name?: string | undefined
  redirect_uris?: string[] | undefined
  token_endpoint_auth_method?: string | undefined
}

export interface OAuthDecision {
  approve: boolean
}

export interface OAuthDevice {
  userCode: string
  clientName: string
  scopes: ("read" | "chat" | "write" | "money" | "admin")[]
  /** The name that the device reports */
  host: string | null
  address: string
  createdAt: string
  expiresAt: string
}

export interface OAuthDeviceCodes {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  /** Seconds */
  expires_in: number
  /** Seconds between polls */
  interval: number
}

export interface OAuthDeviceDecision {
  userCode: string
  approve: boolean
}

export interface OAuthError {
  error: string
  error_description?: string | undefined
}

export interface OAuthRequest {
  clientName: string
  scopes: ("read" | "chat" | "write" | "money" | "admin")[]
  redirectHost: string
}

export interface OAuthResource {
  resource: string
  authorization_servers: string[]
  bearer_methods_supported: string[]
  scopes_supported: string[]
}

export interface OAuthServer {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  device_authorization_endpoint: string
  registration_endpoint: string
  revocation_endpoint: string
  response_types_supported: string[]
  response_modes_supported: string[]
  grant_types_supported: string[]
  code_challenge_methods_supported: string[]
  token_endpoint_auth_methods_supported: string[]
  revocation_endpoint_auth_methods_supported: string[]
  scopes_supported: string[]
  authorization_response_iss_parameter_supported: boolean
  sign_in_providers: {
    name: "idp" | "codehost"
    host: string
    begin: string
  }[]
  sign_in_wallet_chain_id: number
  models_base_url: string
}

export interface OAuthTokens {
  access_token: string
  token_type: "Bearer"
  /** Seconds */
  expires_in: number
  refresh_token: string
  scope: string
}

export interface OperatedAgent {
  id: string
  name: string
  /** Null for agents of the platform */
  userId: string | null
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
  /** Last known health of the container */
  health: "healthy" | "starting" | "stopped" | "unhealthy"
  watchdog: "stopped" | "starting" | "running" | "degraded" | "repairing" | "crash_loop"
  plan: string
  model: string
  createdAt: string
}

export interface OperatedIncident {
  at: string
  cause: string
  step: "detected" | "restart" | "healthy_config" | "healthy_image" | "crash_loop"
  attempt: number
  resolvedAt: string | null
  agentId: string
  agentName: string
  userId: string | null
  agentStatus: "pending" | "provisioning" | "running" | "stopped" | "error"
}

export interface OperatedProvider {
  name: string
  host: string
  /** True if the provider answers and accepts the configured key */
  healthy: boolean
  standIn: boolean
  /** Configured models that the provider does not list */
  unlistedModels: string[]
  checkedAt: string
}

export interface OperatedQueue {
  name: string
  waiting: number
  dead: number
  /** Always null: queues do not report it */
  oldestAt: string | null
}

export interface OperatedUser {
  id: string
  email: string
  name: string
  emailVerified: boolean
  isAdmin: boolean
  plan: string
  subscriptionStatus: "inactive" | "trialing" | "active" | "past_due" | "canceled"
  agents: number
  createdAt: string
}

export interface Plan {
  name: "label" | "solo" | "collective" | "network"
  /** Per month */
  price: number
  currency: "GBP"
  limits: {
    agents: number
    /** Maximum of agents awake at the same time */
    awakeAgents: number
    skills: number
    /** Messages between agents per day */
    dailyMessages: number
    /** Storage for the files of all agents, in GB */
    storageGb: number
    /** Null for no limit */
    monthlyTokens: number | null
  }
  /** Null for all models */
  models: string[] | null
  container: {
    cpu: number
    memoryGb: number
  }
}

export interface Policy {
  preset: "open" | "guarded" | "locked"
  rules: PolicyRule[]
}

export interface PolicyChange {
  preset: "open" | "guarded" | "locked"
  /** The first rule that matches decides; if none does, the preset decides */
  rules: PolicyRule[]
}

export interface PolicyRecord {
  at: string
  action: "broker.request" | "tool.call" | "message.send" | "payment.send" | "channel.send" | "schedule.write" | "exec"
  target: Record<string, string>
  then: "allow" | "ask" | "deny"
  /** The rule’s number, or the preset */
  rule: number | "open" | "guarded" | "locked" | "remembered"
}

export interface PolicyRule {
  action: "broker.request" | "tool.call" | "message.send" | "payment.send" | "channel.send" | "schedule.write" | "exec"
  /** Patterns by field of the action; `*` is any run of characters */
  match?: Record<string, string | string[]> | undefined
  when?: {
    /** The largest payment that the rule matches */
    maxUsd?: string | undefined
    /** How many effects the rule allows or asks for in a UTC day */
    perDay?: number | undefined
    /** From `from` and before `to`, over midnight if `to` is earlier */
    hours?: {
      from: string
      to: string
      /** Default: UTC */
      timezone?: string | undefined
    } | undefined
  } | undefined
  then: "allow" | "ask" | "deny"
}

export interface PolicyTest {
  days: number
  /** Default: the current one */
  preset?: "open" | "guarded" | "locked" | undefined
  /** Default: the current ones */
  rules?: PolicyRule[] | undefined
}

export interface PolicyTestResult {
  days: number
  counts: {
    allow: number
    ask: number
    deny: number
  }
  records: PolicyRecord[]
  /** The policy in words */
  sentences: string[]
}

export interface Profile {
  id: string
  email: string
  name: string
  plan: string
  credits: number
  twoFactorEnabled: boolean
  /** USD per calendar month in UTC; null for no cap */
  spendCapUsd: number | null
  /** USD per day in UTC; null for no cap */
  spendCapUsdPerDay: number | null
  /** True if calls above the plan’s quota use credits; absent until set, which means true */
  useCredits?: boolean | undefined
  /** Percentages of the monthly and daily spend caps and of the plan’s quota that trigger a notification */
  spendAlerts?: number[] | undefined
  /** Absent until the user sets them */
  notifications?: Record<string, unknown> | undefined
}

export interface ProfileChange {
  name?: string | undefined
  notifications?: Record<string, unknown> | undefined
  /** USD per calendar month in UTC; null for no cap */
  spendCapUsd?: number | null | undefined
  /** USD per day in UTC; null for no cap */
  spendCapUsdPerDay?: number | null | undefined
  /** True if calls above the plan’s quota use credits; default true */
  useCredits?: boolean | undefined
  /** Percentages of the monthly and daily spend caps and of the plan’s quota that trigger a notification */
  spendAlerts?: number[] | undefined
}

export interface QueuedSplit {
  success: true
  splitId: number
  status: "queued"
}

export interface Readiness {
  status: "ready" | "not ready"
  checks: Record<string, boolean>
}

export interface RedrivenQueue {
  name: string
  /** Messages moved to the queue */
  moved: number
  /** Approximate number of messages still in the dead-letter queue */
  dead: number
}

export interface RepriceQuestion {
  days: number
  model: string
}

export interface Repricing {
  /** Cost of the calls with a known price; null without such calls */
  actualUsd: number | null
  /** Cost of the same tokens with the model, cached tokens at its price of cached tokens; null if its price is unknown */
  wouldBeUsd: number | null
  byModel: {
    model: string
    provider: string
    inputTokens: number
    outputTokens: number
    /** Part of inputTokens */
    cacheReadTokens: number
    /** Part of inputTokens */
    cacheWriteTokens: number
    /** Part of outputTokens */
    reasoningTokens: number
    turns: number
    actualUsd: number | null
    wouldBeUsd: number | null
  }[]
  /** Calls with unknown prices; not included in actualUsd */
  unpriced: number
}

export interface RestorableAgent {
  id: string
  name: string
  deletedAt: string
  snapshotId: string
}

export interface RestorableAgentList {
  agents: RestorableAgent[]
}

export interface RestoreAccepted {
  agentId: string
  snapshotId: string
  status: "restoring"
}

export interface RestoreRequest {
  snapshotId: string
}

export interface Routing {
  /** The names of the providers to try first, in this order */
  order?: string[] | undefined
  /** The share of calls by the name of the provider; other providers follow */
  weights?: Record<string, number> | undefined
  /** The highest price: USD per million tokens (input, output), or USD per unit (image, second, character, search) */
  maxPriceUsd?: {
    input?: number | undefined
    output?: number | undefined
    image?: number | undefined
    second?: number | undefined
    character?: number | undefined
    search?: number | undefined
  } | undefined
}

export interface Run {
  id: string
  kind: "turn" | "task" | "swarm" | "video" | "split" | "provisioning"
  /** Null for swarms and runs without an agent */
  agentId: string | null
  state: "queued" | "active" | "cancelling" | "finished" | "failed" | "cancelled"
  startedAt: string | null
  by: string | null
  tokens: number | null
  costUsd: number | null
}

export interface ScheduledRun {
  id: string
  startedAt: string | null
  finishedAt: string | null
  status: "queued" | "active" | "finished" | "failed" | "cancelled"
  reply: string | null
  error: string | null
  tokens: number | null
  costUsd: number | null
}

export interface ScheduledTask {
  id: string
  agentId: string
  name: string
  description: string | null
  cronSchedule: string
  timezone: string
  prompt: string
  enabled: boolean
  /** The last due time */
  lastRun: string | null
  /** `running`, `ok`, or `failed: ` and the reason; null before the first run */
  lastStatus: string | null
  nextRun: string | null
  createdAt: string
  updatedAt: string
}

export interface ScheduledTaskChange {
  taskId: string
  name?: string | undefined
  /** Five fields: minute hour day month weekday */
  cronSchedule?: string | undefined
  prompt?: string | undefined
  agentId?: string | undefined
  description?: string | null | undefined
  enabled?: boolean | undefined
  /** An IANA name, such as Europe/London */
  timezone?: string | undefined
}

export interface Sender {
  /** The sender’s id at the chat service */
  id: string
  /** The sender’s name at the chat service; null if unknown */
  name: string | null
  state: "pending" | "approved" | "blocked"
  /** The code that the bot sent them; null after the decision */
  code: string | null
}

export interface SenderDecision {
  decision: "approve" | "block"
}

export interface SenderList {
  senders: Sender[]
}

export interface Session {
  id: string
  createdAt: string
  /** Accurate to 15 minutes */
  lastSeenAt: string
  /** For an OAuth client: its name */
  userAgent: string | null
  /** IP address of the sign-in */
  address: string | null
  current: boolean
}

export interface SessionDetail {
  sessionId: string
  title: string | null
  createdAt: string
  messages: {
    role: string
    content: string | null
    createdAt: string
  }[]
  count: number
}

export interface SessionList {
  sessions: {
    sessionId: string
    title: string | null
    createdAt: string
    updatedAt: string
  }[]
  count: number
}

export interface SessionUser {
  id: string
  name: string
  email: string
  isAdmin: boolean
}

export interface SignedIn {
  ok: true
  user: SignedInUser
}

export interface SignedInUser {
  id: string
  name: string
}

export interface Skill {
  id: string
  name: string
  description: string
  category: string
  featured: boolean
  version: string
}

export interface SkillOfAgent {
  skillId: string
  agentId: string
}

export interface SkillUse {
  agentId?: string | undefined
  input: string
}

export interface SlackChannelChange {
  /** The "Bot User OAuth Token" of the app */
  botToken?: string | undefined
  /** The "Signing Secret" of the app */
  signingSecret?: string | undefined
}

export interface Snapshot {
  id: string
  name: string | null
  createdAt: string
  bytes: number
}

export interface Split {
  splitId: number
  status: "queued" | "processing" | "completed" | "failed"
  name: string
  totalAmount: string
  currency: "USDC"
  /** Why the split failed or waits */
  reason: string | null
  createdAt: string
  completedAt: string | null
  recipients: {
    address: string
    share: number
    /** USDC, with 6 decimals */
    amount: string
    status: "pending" | "submitted" | "confirmed" | "failed"
    /** The confirmed transaction, or the latest one */
    txHash: string | null
    reason: string | null
  }[]
}

export interface Storage {
  usedBytes: number
  quotaBytes: number
  agents: {
    agentId: string
    bytes: number
  }[]
  /** ISO 8601; null before the first measure */
  measuredAt: string | null
}

export interface StreamingEventReceived {
  received: true
}

export interface Swarm {
  id: string
  name: string
  description: string | null
  agents: string[]
  createdAt: string
}

export interface SwarmResults {
  id: string
  results: {
    agentId: string
    reply: string | null
    error: string | null
  }[]
}

export interface SwarmRun {
  prompt: string
}

export interface TelegramChannelChange {
  token?: string | undefined
}

export interface Telemetry {
  otlpUrl: string | null
  /** Names of the headers */
  headers: string[]
  content: boolean
}

export interface TelemetryTest {
  ok: boolean
  /** The status code of the collector; null if it did not respond */
  status: number | null
}

export interface Ticket {
  /** Signs a browser in to the agent’s host; valid once, for one minute */
  url: string
  expiresAt: string
}

export interface TokenGate {
  success: true
  tokenGated: boolean
  accessLevel: "holder" | "basic"
  address: string
  tokenAddress: string
  balance: string
  minimumBalance: string
  chainId: number
}

export interface TokenUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
}

export interface UsageOfDayAgentAndModel {
  /** YYYY-MM-DD, in UTC */
  date: string
  /** Null for calls without an agent */
  agent_id: string | null
  /** Null if the agent is deleted */
  agent_name: string | null
  model: string
  provider: string
  input_tokens: number
  output_tokens: number
  total_tokens: number
  /** Input tokens read from the provider’s cache */
  cache_read_tokens: number
  /** Input tokens written to the provider’s cache */
  cache_write_tokens: number
  /** Part of output_tokens */
  reasoning_tokens: number
  /** USD of the calls with a known price; null without such calls */
  cost_usd: number | null
  turns: number
  /** Turns with an unknown price */
  unpriced: number
}

export interface UsageOfKey {
  /** Null for calls without an API key */
  key_id: string | null
  key_name: string | null
  input_tokens: number
  output_tokens: number
  total_tokens: number
  /** Input tokens read from the provider’s cache */
  cache_read_tokens: number
  /** Input tokens written to the provider’s cache */
  cache_write_tokens: number
  /** Part of output_tokens */
  reasoning_tokens: number
  /** USD of the calls with a known price; null without such calls */
  cost_usd: number | null
  turns: number
}

export interface UsageOfOwnAgent {
  agent_id: string | null
  /** Null if the agent is deleted */
  agent_name: string | null
  input_tokens: number
  output_tokens: number
  total_tokens: number
  /** Input tokens read from the provider’s cache */
  cache_read_tokens: number
  /** Input tokens written to the provider’s cache */
  cache_write_tokens: number
  /** Part of output_tokens */
  reasoning_tokens: number
  /** USD of the calls with a known price; null without such calls */
  cost_usd: number | null
  turns: number
}

export interface UsageOfOwnDay {
  /** YYYY-MM-DD, in UTC */
  date: string
  total_tokens: number
  /** Input tokens read from the provider’s cache */
  cache_read_tokens: number
  /** Input tokens written to the provider’s cache */
  cache_write_tokens: number
  /** Part of output_tokens */
  reasoning_tokens: number
  /** USD of the calls with a known price; null without such calls */
  cost_usd: number | null
  turns: number
}

export interface UsageOfOwnModel {
  model: string
  provider: string
  input_tokens: number
  output_tokens: number
  total_tokens: number
  /** Input tokens read from the provider’s cache */
  cache_read_tokens: number
  /** Input tokens written to the provider’s cache */
  cache_write_tokens: number
  /** Part of output_tokens */
  reasoning_tokens: number
  /** USD of the calls with a known price; null without such calls */
  cost_usd: number | null
  turns: number
}

export interface UsageOfTool {
  tool_name: string
  calls: number
  successes: number
  avg_ms: number
}

export interface Verification {
  verified: boolean
  verificationType: string | null
  attestationUid: string | null
  verifiedAt: string | null
  verifierAddress: string | null
  metadata: Record<string, unknown> | null
}

export interface VerificationMade {
  success: true
  verified: boolean
  verificationType: string | null
  attestationUid: string | null
  verifiedAt: string | null
}

export interface VideoOrdered {
  jobId: string
}

export interface Wallet {
  /** With its checksum (EIP-55) */
  address: string
  agentId: string
  userId: string
}

export interface WalletOfList {
  /** With its checksum (EIP-55) */
  address: string
  agentId: string
  /** USDC; null if the chain is not configured or does not answer */
  balance_usdc: number | null
  /** The chain of the balance and of payments (EIP-155) */
  chain_id: number
}

export interface WalletSignedIn {
  ok: true
  user: WalletUser
}

export interface WalletUser {
  id: string
  name: string
}

export interface Watchdog {
  state: "stopped" | "starting" | "running" | "degraded" | "repairing" | "crash_loop"
  attempts: number
  incidents: Incident[]
}

export interface WebhookChannelChange {
  /** The message to the agent. `{{body.a.b}}` is replaced by a field of the JSON body */
  promptTemplate?: string | undefined
  answerUrl?: string | undefined
  /** True makes a new secret, which the response contains once */
  rotateSecret?: boolean | undefined
}

export interface WebhookDelivery {
  id: string
  /** The `webhook-id` of the event; the same for every attempt */
  messageId: string
  type: WebhookEventType
  createdAt: string
  status: "pending" | "delivered" | "failed"
  attempts: number
  /** Null if the last attempt got no response */
  responseStatus: number | null
  nextAttemptAt: string | null
}

export interface WebhookEndpoint {
  id: string
  url: string
  events: WebhookEventType[]
  createdAt: string
  /** The time when it was disabled: after three days of failures, by a 410 Gone response, or when all keys were revoked, such as by a password reset; null while it is active */
  disabledAt: string | null
}

export interface WebhookEndpointDeleted {
  success: true
  id: string
}

export type WebhookEventType = "agent.running" | "agent.stopped" | "agent.crashed" | "agent.repaired" | "agent.given_up" | "agent.deleted" | "run.finished" | "run.failed" | "spend.threshold" | "quota.threshold" | "key.created" | "key.deleted" | "subscription.changed" | "split.completed" | "split.failed" | "ping" | "storage.full" | "approval.requested" | "approval.decided"

export interface WhatsappChannelChange {
  /** The access token of a system user */
  accessToken?: string | undefined
  /** The "Phone number ID" of the number */
  phoneNumberId?: string | undefined
  /** The "App secret" of the app */
  appSecret?: string | undefined
  /** A text of your own, which you enter at Meta too */
  verifyToken?: string | undefined
}

export interface Withdrawal {
  id: string
  agentId: string
  /** With its checksum (EIP-55) */
  to: string
  /** USDC, a decimal string */
  amount: string
  state: "queued" | "processing" | "completed" | "failed"
  txHash: string | null
  /** The reason why it failed or waits */
  reason: string | null
  createdAt: string
  completedAt: string | null
}

export interface WithdrawalCreated {
  id: string
  state: "queued" | "processing" | "completed" | "failed"
}

export interface WrittenAgentFile {
  path: string
  size: number
  /** ISO 8601 */
  modified: string
}

export interface X402Action {
  action: "join-colony" | "fitness" | "pricing" | "endpoints" | "pay"
  /** For all actions except endpoints; must be the caller’s agent for join-colony and pay */
  agentId?: string | undefined
  /** For join-colony */
  walletAddress?: string | undefined
  /** For pay */
  amount?: string | undefined
  /** For pay; forwarded unchanged */
  currency?: string | undefined
  /** For pay */
  recipient?: string | undefined
  /** The slug of the paid endpoint */
  endpoint?: string | undefined
  /** The payment method */
  method?: string | undefined
}

export type X402Answer = {
  score: number
  tier: string
  details: {
    prediction?: number | undefined
    execution?: number | undefined
    coordination?: number | undefined
  } | null
  /** Present if the gateway did not respond */
  success?: true | undefined
} | {
  tier: string
  pricing: {
    rate: number
    discount: number
  }
  fitness: {
    score: number
    tier: string
  }
  /** Present if the gateway did not respond */
  success?: true | undefined
  agentId: string
} | {
  endpoints: {
    slug: string
    description: string
    price: string
  }[]
  success: true
} | {
  /** True if the gateway returned a success status */
  success: boolean
  [other: string]: unknown
}

export interface X402Health {
  /** The URL of the gateway */
  gateway: string
  [other: string]: unknown
}

/** The named codes of refusals and failures */
export type ErrorCode =
  | "ADMIN_REQUIRED"
  | "AGENT_FAILED"
  | "AGENT_LIMIT_REACHED"
  | "AGENT_NOT_RUNNING"
  | "AGENT_TIMEOUT"
  | "AGENT_UNREACHABLE"
  | "AI_INTERRUPTED"
  | "AI_UNAVAILABLE"
  | "APPROVAL_DECIDED"
  | "ARCHIVE_LIMIT_REACHED"
  | "BOT_DETECTED"
  | "BROKER_CREDENTIALS_FULL"
  | "CANCELLED"
  | "CHANNEL_LIMIT_REACHED"
  | "CLIENT_CLOSED_REQUEST"
  | "CONNECTION_BUSY"
  | "CONNECTION_DISCOVERY_FAILED"
  | "CONNECTION_EXISTS"
  | "CONNECTION_LIMIT_REACHED"
  | "CONNECTION_REFRESH_FAILED"
  | "CONNECTION_UNREACHABLE"
  | "CREDENTIALS_FULL"
  | "CSRF"
  | "FILE_LIMIT_REACHED"
  | "IDEMPOTENCY_ANSWER_TOO_LARGE"
  | "IDEMPOTENCY_IN_PROGRESS"
  | "IDEMPOTENCY_KEY_REUSED"
  | "IMPORT_LIMIT_REACHED"
  | "KEY_LIMIT_REACHED"
  | "MEMORY_FULL"
  | "MODEL_NOT_FOUND"
  | "MODEL_RESTRICTED"
  | "MODEL_UNPRICED"
  | "NOT_CANCELLABLE"
  | "PAYMENT_INVALID"
  | "PAYMENT_USED"
  | "PLAN_REQUIRED"
  | "PROVISIONING_DISABLED"
  | "QUOTA_EXCEEDED"
  | "RESTORE_IN_PROGRESS"
  | "RUN_ENDED"
  | "RUN_UNDER_WAY"
  | "SCOPE_REQUIRED"
  | "SENDERS_FULL"
  | "SESSION_REQUIRED"
  | "SKILL_DISABLED"
  | "SKILL_LIMIT_REACHED"
  | "SKILL_NOT_INSTALLED"
  | "SNAPSHOT_LIMIT_REACHED"
  | "SPEND_CAP_REACHED"
  | "STOPPED_BY_OPERATOR"
  | "STORAGE_LIMIT_REACHED"
  | "SUBSCRIPTION_REQUIRED"
  | "SWARM_LIMIT_REACHED"
  | "TASK_LIMIT_REACHED"
  | "TOO_MANY_OPEN"
  | "UPSTREAM_REJECTED"
  | "VERIFICATION_FAILED"
  | "VIDEO_LIMIT_REACHED"
  | "VerifyFailed"
  | "WEBHOOK_ENDPOINT_LIMIT_REACHED"
  | "access_denied"
  | "authorization_pending"
  | "expired_token"
  | "invalid_client"
  | "invalid_client_metadata"
  | "invalid_grant"
  | "invalid_redirect_uri"
  | "invalid_request"
  | "invalid_scope"
  | "invalid_target"
  | "slow_down"
  | "unknown_plugin"
  | "unsupported_grant_type"
  | "unsupported_response_type"

/** What each operation takes and answers */
export interface Operations {
  /** Delete the account */
  'POST /api/account/delete': {
    body: AccountDeletion
    answer: {
      success: true
    }
  }
  /** Act on an agent */
  'POST /api/agent': {
    body: AgentAction
    idempotent: true
    answer: AgentActionAnswer
  }
  /** Read from an agent */
  'GET /api/agent': {
    query?: {
      action?: "health" | "sessions" | "session" | "memory" | "skills" | "credentials" | undefined
      agentId?: string | number | boolean | undefined
      sessionId?: string | number | boolean | undefined
    } | undefined
    answer: AgentAnswer
  }
  /** Set a broker credential of an agent */
  'POST /api/agents/{id}/broker-credentials': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: NewBrokerCredential
    answer: BrokerCredential
  }
  /** Delete a broker credential of an agent */
  'DELETE /api/agents/{id}/broker-credentials/{name}': {
    path: [id: string, name: string]
    params: {
      id: string | number | boolean
      name: string | number | boolean
    }
    answer: BrokerCredentialDeleted
  }
  /** List the broker credentials of an agent */
  'GET /api/agents/{id}/broker-credentials': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      credentials: BrokerCredential[]
    }
  }
  /** List the broker requests of an agent */
  'GET /api/agents/{id}/broker-requests': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    query?: {
      limit?: number | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      requests: BrokerRequest[]
    }
  }
  /** Create a channel */
  'POST /api/agents/{id}/channels': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: NewChannel
    answer: CreatedChannel
  }
  /** Delete a channel */
  'DELETE /api/agents/{id}/channels/{channelId}': {
    path: [id: string, channelId: string]
    params: {
      id: string | number | boolean
      channelId: string | number | boolean
    }
    answer: ChannelDeleted
  }
  /** List what a channel sent */
  'GET /api/agents/{id}/channels/{channelId}/deliveries': {
    path: [id: string, channelId: string]
    params: {
      id: string | number | boolean
      channelId: string | number | boolean
    }
    query?: {
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      deliveries: ChannelDelivery[]
    }
  }
  /** List the channels of an agent */
  'GET /api/agents/{id}/channels': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      channels: Channel[]
    }
  }
  /** Change a channel */
  'PATCH /api/agents/{id}/channels/{channelId}': {
    path: [id: string, channelId: string]
    params: {
      id: string | number | boolean
      channelId: string | number | boolean
    }
    body: ChannelChange
    answer: CreatedChannel
  }
  /** Get the config of an agent */
  'GET /api/agents/{id}/config': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      config: AgentConfig
      warnings?: ConfigWarning[] | undefined
      status: "ok"
    }
  }
  /** Update the config of an agent */
  'PUT /api/agents/{id}/config': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    query?: {
      apply?: "true" | "false" | undefined
    } | undefined
    body: {
      config: AgentConfigChange
    }
    answer: {
      config: AgentConfig
      warnings?: ConfigWarning[] | undefined
      status: "updated"
    }
  }
  /** List the requests over the connections of an agent */
  'GET /api/agents/{id}/connection-requests': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    query?: {
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      requests: ConnectionRequest[]
    }
  }
  /** Sign in at the server of a connection again, and read its tools */
  'POST /api/agents/{id}/connections/{name}/authorize': {
    path: [id: string, name: string]
    params: {
      id: string | number | boolean
      name: string | number | boolean
    }
    answer: Connection
  }
  /** Connect an agent to an MCP server */
  'POST /api/agents/{id}/connections': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: NewConnection
    answer: Connection
  }
  /** Delete a connection of an agent */
  'DELETE /api/agents/{id}/connections/{name}': {
    path: [id: string, name: string]
    params: {
      id: string | number | boolean
      name: string | number | boolean
    }
    answer: ConnectionDeleted
  }
  /** List the connections of an agent */
  'GET /api/agents/{id}/connections': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      connections: Connection[]
    }
  }
  /** Set the tools that an agent may use over a connection */
  'PATCH /api/agents/{id}/connections/{name}': {
    path: [id: string, name: string]
    params: {
      id: string | number | boolean
      name: string | number | boolean
    }
    body: ConnectionChange
    answer: Connection
  }
  /** Create an agent */
  'POST /api/agents/provision': {
    body: NewAgent
    idempotent: true
    answer: {
      success: true
      agent: NewAgentView
    }
  }
  /** Create a sign-in link for an agent’s host */
  'POST /api/agents/{id}/ticket': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: Ticket
  }
  /** Create an agent with chat channels */
  'POST /api/provision': {
    body: NewAgentWithChannels
    idempotent: true
    answer: AgentWithChannels
  }
  /** Delete an agent */
  'DELETE /api/agents/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: DeletedAgent
  }
  /** Duplicate an agent */
  'POST /api/agents/{id}/duplicate': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: DuplicateRequest
    idempotent: true
    answer: {
      success: true
      agent: NewAgentView
    }
  }
  /** List events of an agent */
  'GET /api/agents/{id}/events': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    query?: {
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      events: AgentEvent[]
    }
  }
  /** Export an agent */
  'GET /api/agents/{id}/export': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: ArrayBuffer
  }
  /** Get an export of an agent that was too large for a response */
  'GET /api/agents/{id}/exports/{exportId}': {
    path: [id: string, exportId: string]
    params: {
      id: string | number | boolean
      exportId: string | number | boolean
    }
    answer: AgentExport
  }
  /** Delete a file or folder of an agent */
  'DELETE /api/agents/{id}/files/content': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    query: {
      path: string | number | boolean
      recursive?: "true" | "false" | undefined
    }
    answer: DeletedAgentFile
  }
  /** Read a file of an agent */
  'GET /api/agents/{id}/files/content': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    query: {
      path: string | number | boolean
    }
    answer: ArrayBuffer
  }
  /** List a folder of an agent’s files */
  'GET /api/agents/{id}/files': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    query?: {
      path?: string | number | boolean | undefined
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: AgentFileList
  }
  /** Move a file or folder of an agent */
  'POST /api/agents/{id}/files/move': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: AgentFileMove
    answer: MovedAgentFile
  }
  /** Write a file of an agent */
  'PUT /api/agents/{id}/files/content': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    query: {
      path: string | number | boolean
    }
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    type: "application/octet-stream"
    answer: WrittenAgentFile
  }
  /** Create a link to upload a file of an agent */
  'POST /api/agents/{id}/files/uploads': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: NewAgentFileUpload
    answer: AgentFileUpload
  }
  /** Get an agent */
  'GET /api/agents/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      agent: AgentDetail
      status: "ok"
    }
  }
  /** Import an agent */
  'POST /api/agents/import': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    type: "application/zip"
    idempotent: true
    answer: {
      success: true
      agent: NewAgentView
    }
  }
  /** Create a link to upload an archive of more than 4 MB */
  'POST /api/agents/imports': {
    body: NewAgentImport
    answer: AgentImportLink
  }
  /** Get an agent’s container */
  'GET /api/instance/{agentId}': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    answer: Instance
  }
  /** Get metrics of an agent’s container */
  'GET /api/instance/{agentId}/stats': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    answer: InstanceStats
  }
  /** List agents */
  'GET /api/agents': {
    query?: {
      deleted?: "true" | "false" | undefined
    } | undefined
    answer: AgentList | RestorableAgentList
  }
  /** Stream the logs of an agent */
  'GET /api/logs/{agentId}/stream': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    query?: {
      tail?: string | number | boolean | undefined
      since?: string | number | boolean | undefined
      contains?: string | number | boolean | undefined
    } | undefined
    answer: LogEvent
    events: {
      line: LogEvent
    }
  }
  /** List recent log lines of an agent */
  'GET /api/logs/{agentId}/history': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    query?: {
      limit?: string | number | boolean | undefined
      since?: string | number | boolean | undefined
      contains?: string | number | boolean | undefined
    } | undefined
    answer: LogHistory
  }
  /** Delete the mandate of an agent */
  'DELETE /api/agents/{id}/mandate': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: MandateDeleted
  }
  /** Get the mandate of an agent */
  'GET /api/agents/{id}/mandate': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: Mandate
  }
  /** Set the mandate of an agent */
  'PUT /api/agents/{id}/mandate': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: NewMandate
    answer: Mandate
  }
  /** List messages of an agent */
  'GET /api/agents/{id}/messages': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    query?: {
      limit?: string | number | boolean | undefined
      offset?: string | number | boolean | undefined
    } | undefined
    answer: {
      messages: Message[]
      total: number
      limit: number
      offset: number
      status: "ok"
    }
  }
  /** List the payments of an agent */
  'GET /api/agents/{id}/payments': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    query?: {
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
      month?: string | number | boolean | undefined
    } | undefined
    answer: {
      payments: AgentPayment[]
    }
  }
  /** Get the policy of an agent */
  'GET /api/agents/{id}/policy': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: Policy
  }
  /** Set the policy of an agent */
  'PUT /api/agents/{id}/policy': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: PolicyChange
    answer: Policy
  }
  /** Test a policy on an agent’s records */
  'POST /api/agents/{id}/policy/test': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: PolicyTest
    answer: PolicyTestResult
  }
  /** Repair an agent */
  'POST /api/instance/{agentId}/repair': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    idempotent: true
    answer: {
      success: true
      status: "pending" | "provisioning" | "running" | "stopped" | "error"
      message: string
    }
  }
  /** Reset the memory of an agent */
  'POST /api/instance/{agentId}/reset-memory': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    idempotent: true
    answer: {
      success: true
      message: string
    }
  }
  /** Restart an agent */
  'POST /api/instance/{agentId}/restart': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    idempotent: true
    answer: InstanceRestart
  }
  /** Restore an agent */
  'POST /api/agents/{id}/restore': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: RestoreRequest
    idempotent: true
    answer: RestoreAccepted
  }
  /** Approve or block a sender of a channel */
  'POST /api/agents/{id}/channels/{channelId}/senders/{senderId}': {
    path: [id: string, channelId: string, senderId: string]
    params: {
      id: string | number | boolean
      channelId: string | number | boolean
      senderId: string | number | boolean
    }
    body: SenderDecision
    answer: DecidedSender
  }
  /** List the senders of a channel */
  'GET /api/agents/{id}/channels/{channelId}/senders': {
    path: [id: string, channelId: string]
    params: {
      id: string | number | boolean
      channelId: string | number | boolean
    }
    answer: SenderList
  }
  /** Create a restore point of an agent */
  'POST /api/agents/{id}/snapshots': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body?: NewSnapshot | undefined
    idempotent: true
    answer: Snapshot
  }
  /** List restore points of an agent */
  'GET /api/agents/{id}/snapshots': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      snapshots: Snapshot[]
    }
  }
  /** Start an agent */
  'POST /api/instance/{agentId}/start': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    idempotent: true
    answer: InstanceState
  }
  /** Get statistics of an agent */
  'GET /api/agents/{id}/stats': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      stats: AgentStats
      status: "ok"
    }
  }
  /** Stop an agent */
  'POST /api/instance/{agentId}/stop': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    idempotent: true
    answer: InstanceState
  }
  /** Get the bytes that an agent sent and printed today */
  'GET /api/agents/{id}/traffic': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      traffic: AgentTraffic
    }
  }
  /** Update the image of an agent */
  'POST /api/instance/{agentId}/update': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    body?: {
      /** Default: the platform's image */
      image?: string | undefined
    } | undefined
    idempotent: true
    answer: InstanceImage
  }
  /** Verify the owner of an agent */
  'POST /api/agents/{id}/verify': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: {
      verificationType: "eas" | "coinbase" | "ens" | "webauthn"
      attestationUid?: string | undefined
      walletAddress?: string | undefined
      /** EIP-191 signature of `Verify agent <id>` by walletAddress */
      signature?: string | undefined
    }
    answer: VerificationMade
  }
  /** Delete the verification of an agent */
  'DELETE /api/agents/{id}/verify': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      success: true
    }
  }
  /** Get the verification of an agent */
  'GET /api/agents/{id}/verify': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: Verification
  }
  /** Approve or deny a request of an agent */
  'POST /api/approvals/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: ApprovalDecision
    answer: Approval
  }
  /** Get an approval with its request */
  'GET /api/approvals/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: Approval
  }
  /** List approvals */
  'GET /api/approvals': {
    query?: {
      state?: "pending" | "approved" | "denied" | "expired" | "done" | "failed" | undefined
      agentId?: string | number | boolean | undefined
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      approvals: Approval[]
    }
  }
  /** Read the audit log */
  'GET /api/audit': {
    query?: {
      since?: string | number | boolean | undefined
    } | undefined
    answer: AuditEntry[]
  }
  /** Redirect to the code host to sign in */
  'GET /api/auth/github': {
    query?: {
      next?: string | number | boolean | undefined
    } | undefined
    answer: string
  }
  /** Finish the sign-in with the code host */
  'GET /api/auth/github/callback': {
    answer: string
  }
  /** Get a CSRF token */
  'GET /api/auth/csrf': {
    answer: {
      token: string
    }
  }
  /** Delete a session */
  'DELETE /api/auth/sessions/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      success: true
    }
  }
  /** Request a password reset */
  'POST /api/auth/forgot-password': {
    body: {
      email: string
      /** Spam trap; leave it out */
      website?: unknown
    }
    answer: {
      message: string
    }
  }
  /** Redirect to the identity provider to sign in */
  'GET /api/auth/idp': {
    query?: {
      next?: string | number | boolean | undefined
    } | undefined
    answer: string
  }
  /** Finish the sign-in with the identity provider */
  'GET /api/auth/idp/callback': {
    answer: string
  }
  /** List sessions */
  'GET /api/auth/sessions': {
    answer: {
      sessions: Session[]
    }
  }
  /** Verify an email address by link */
  'GET /api/auth/verify-email': {
    query?: {
      token?: string | number | boolean | undefined
    } | undefined
    answer: string
  }
  /** Create an account */
  'POST /api/register': {
    body: {
      email: string
      password: string
      name?: string | undefined
      referralCode?: string | undefined
      /** Spam trap; leave it out */
      website?: unknown
    }
    answer: NewUser
  }
  /** Reset the password */
  'POST /api/auth/reset-password': {
    body: {
      token: string
      password: string
    }
    answer: {
      message: string
    }
  }
  /** Get the current session */
  'GET /api/auth/session': {
    answer: {
      user: SessionUser | null
    }
  }
  /** Sign in with email and password */
  'POST /api/auth/login': {
    body: {
      email: string
      password: string
    }
    answer: SignedIn
  }
  /** Sign out */
  'POST /api/auth/signout': {
    answer: {
      ok: true
    }
  }
  /** Verify an email address */
  'POST /api/auth/verify-email': {
    body: {
      token: string
      password?: string | undefined
    }
    answer: {
      success: true
    }
  }
  /** Act on billing */
  'POST /api/billing': {
    body: BillingAction
    idempotent: true
    answer: BillingActionAnswer
  }
  /** Get credits and the referral code */
  'GET /api/credits': {
    answer: Credits
  }
  /** List credit transactions */
  'GET /api/credits/ledger': {
    query?: {
      limit?: string | number | boolean | undefined
      offset?: string | number | boolean | undefined
    } | undefined
    answer: CreditLedger
  }
  /** Get plans, the current plan and usage */
  'GET /api/billing': {
    answer: Billing
  }
  /** Use the booking-settlement skill */
  'POST /api/skills/booking-settlement': {
    body: BookingSettlementAction
    idempotent: true
    answer: {
      bookings: Booking[]
    } | BookingSettlement
  }
  /** Describe the booking-settlement skill */
  'GET /api/skills/booking-settlement': {
    answer: MoneySkill
  }
  /** Prove the address of a channel to its service */
  'GET /in/{kind}/{channelId}': {
    path: [kind: string, channelId: string]
    params: {
      kind: string | number | boolean
      channelId: string | number | boolean
    }
    answer: string
  }
  /** Receive events of a channel’s service */
  'POST /in/{kind}/{channelId}': {
    path: [kind: string, channelId: string]
    params: {
      kind: string | number | boolean
      channelId: string | number | boolean
    }
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    answer: {
      received: true
    }
  }
  /** Resume a streamed reply */
  'GET /api/chat/turns/{messageId}/stream': {
    path: [messageId: string]
    params: {
      messageId: string | number | boolean
    }
    answer: ChatAnswer
    events: {
      delta: {
        content: string
      }
      done: ChatAnswer
      error: {
        error: string
        code?: string | undefined
        [other: string]: unknown
      }
    }
  }
  /** List messages with an agent */
  'GET /api/chat': {
    query?: {
      agentId?: string | number | boolean | undefined
      topic?: string | number | boolean | undefined
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      messages: Message[]
      count: number
    }
  }
  /** Send a message to an agent */
  'POST /api/chat': {
    body: ChatRequest
    idempotent: true
    answer: ChatAnswer
    events: {
      delta: {
        content: string
      }
      done: ChatAnswer
      error: {
        error: string
        code?: string | undefined
        [other: string]: unknown
      }
    }
  }
  /** List conversations with an agent */
  'GET /api/chat/topics': {
    query?: {
      agentId?: string | number | boolean | undefined
    } | undefined
    answer: {
      topics: ChatTopic[]
    }
  }
  /** Clone an agent */
  'POST /api/agents/clone': {
    body: CloneRequest
    idempotent: true
    answer: Clone
  }
  /** Get the price of a clone */
  'GET /api/agents/clone': {
    answer: CloneService
  }
  /** Get agents and their clones */
  'GET /api/colony/status': {
    query?: {
      action?: "tree" | "soul" | "diagnostics" | undefined
    } | undefined
    answer: ColonyTree | ColonySoul | ColonyDiagnostics
  }
  /** Finish the sign-in of a connection */
  'GET /api/connections/callback': {
    answer: string
  }
  /** Get the platform’s metadata as an OAuth client */
  'GET /api/connections/client': {
    answer: OAuthClientDocument
  }
  /** Create a custodial wallet for an agent */
  'POST /api/wallet/cdp': {
    body: {
      agentId: string
    }
    idempotent: true
    answer: Wallet
  }
  /** List custodial wallets */
  'GET /api/wallet/cdp': {
    answer: {
      wallets: WalletOfList[]
      count: number
    }
  }
  /** List demo models */
  'GET /api/demo/chat': {
    answer: {
      models: DemoModel[]
      mode: "demo"
      message: string
    }
  }
  /** Send a demo chat message */
  'POST /api/demo/chat': {
    body: DemoRequest
    answer: DemoAnswer
  }
  /** Get the OpenAPI document */
  'GET /openapi.json': {
    answer: Record<string, unknown>
  }
  /** Get the API reference as a page */
  'GET /docs': {
    answer: string
  }
  /** Estimate the cost of a call */
  'POST /api/estimate': {
    body: EstimateQuestion
    answer: Estimate
  }
  /** Estimate past usage with another model */
  'POST /api/usage/reprice': {
    body: RepriceQuestion
    answer: Repricing
  }
  /** Describe the Farcaster sign-in */
  'GET /api/auth/farcaster/verify': {
    answer: EndpointDescription
  }
  /** Describe the session token refresh */
  'GET /api/auth/farcaster/refresh': {
    answer: EndpointDescription
  }
  /** Refresh a session token */
  'POST /api/auth/farcaster/refresh': {
    body: {
      sessionToken: string
    }
    answer: FarcasterSession
  }
  /** Sign in with a Farcaster account */
  'POST /api/auth/farcaster/verify': {
    body: {
      token: string
    } | {
      message: string
      signature: string
      /** The nonce from /api/auth/nonce that the message contains */
      nonce: string
    }
    answer: FarcasterSession
  }
  /** List bookings of the caller’s agents */
  'GET /api/mission-control/fleet/bookings': {
    query?: {
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      bookings: Booking[]
    }
  }
  /** Get the costs of agents this month */
  'GET /api/mission-control/fleet/costs': {
    answer: FleetCosts
  }
  /** Get the message graph of agents */
  'GET /api/mission-control/fleet/graph': {
    answer: FleetGraph
  }
  /** List recent turns of agents */
  'GET /api/mission-control/fleet/traces': {
    answer: FleetTraces
  }
  /** Get the health of the web API */
  'GET /api/health': {
    answer: MachineHealth
  }
  /** Check readiness */
  'GET /health/ready': {
    answer: Readiness
  }
  /** Get the heartbeat settings */
  'GET /api/heartbeat': {
    answer: {
      heartbeat: Heartbeat
      message: string
    }
  }
  /** Reset the heartbeat settings */
  'DELETE /api/heartbeat': {
    answer: {
      success: true
      message: string
    }
  }
  /** Update the heartbeat settings */
  'POST /api/heartbeat': {
    body: {
      frequency?: "30m" | "1h" | "2h" | "3h" | "6h" | "12h" | "24h" | undefined
      enabled?: boolean | undefined
    }
    answer: {
      frequency: "30m" | "1h" | "2h" | "3h" | "6h" | "12h" | "24h"
      enabled: boolean
      /** When the user’s installation was last seen */
      lastHeartbeat: string | null
      /** Null if disabled or before the first heartbeat */
      nextHeartbeat: string | null
      lastUpdated: string
      message: string
    }
  }
  /** Use the instant-split skill */
  'POST /api/skills/instant-split': {
    body: InstantSplitAction
    idempotent: true
    answer: {
      splits: Split[]
    } | Split | QueuedSplit
  }
  /** Describe the instant-split skill */
  'GET /api/skills/instant-split': {
    answer: MoneySkill
  }
  /** Get a job */
  'GET /api/jobs/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: Job
  }
  /** Create an API key */
  'POST /api/keys': {
    body: NewKey
    answer: CreatedKey
  }
  /** Delete an API key */
  'DELETE /api/keys/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      success: true
    }
  }
  /** Get an API key */
  'GET /api/keys/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: Key
  }
  /** List API keys */
  'GET /api/keys': {
    answer: {
      keys: Key[]
    }
  }
  /** Update an API key */
  'PATCH /api/keys/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: KeyChange
    answer: Key
  }
  /** Validate an API key */
  'POST /api/keys/validate': {
    body: {
      apiKey: string
    }
    answer: KeyHolder
  }
  /** Call the MCP server */
  'POST /mcp': {
    query?: {
      read_only?: "0" | "1" | undefined
    } | undefined
    body: JsonRpcMessage
    answer: JsonRpcAnswer
    events: {
      message: JsonRpcAnswer
    }
  }
  /** Delete a note from the memory of an agent */
  'DELETE /api/memory': {
    body: MemoryDeletion
    answer: {
      success: true
      agentId: string
      key: string
    }
  }
  /** Get the memory of an agent */
  'GET /api/memory': {
    query: {
      agentId: string | number | boolean
    }
    answer: Memory
  }
  /** Write notes to the memory of an agent */
  'POST /api/memory': {
    body: MemoryChange
    answer: {
      success: true
      agentId: string
      key: string
      saved: true
    } | {
      success: true
      agentId: string
      keysUpdated: number
      saved: true
    }
  }
  /** List models */
  'GET /api/models': {
    answer: {
      models: Model[]
      count: number
    }
  }
  /** Start an OAuth authorization */
  'GET /oauth/authorize': {
    query?: {
      response_type?: string | number | boolean | undefined
      client_id?: string | number | boolean | undefined
      redirect_uri?: string | number | boolean | undefined
      scope?: string | number | boolean | undefined
      state?: string | number | boolean | undefined
      code_challenge?: string | number | boolean | undefined
      code_challenge_method?: string | number | boolean | undefined
      resource?: string | number | boolean | undefined
    } | undefined
    answer: string
  }
  /** Approve or deny a device authorization */
  'POST /oauth/device': {
    body: OAuthDeviceDecision
    answer: {
      approved: boolean
    }
  }
  /** Approve or deny an authorization request */
  'POST /oauth/requests/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: OAuthDecision
    answer: {
      redirectTo: string
    }
  }
  /** Start a device authorization (RFC 8628) */
  'POST /oauth/device_authorization': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    type: "application/x-www-form-urlencoded"
    answer: OAuthDeviceCodes
  }
  /** Get a device authorization by its user code */
  'GET /oauth/device': {
    query: {
      user_code: string | number | boolean
    }
    answer: OAuthDevice
  }
  /** Get an authorization request */
  'GET /oauth/requests/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: OAuthRequest
  }
  /** Get the protected resource metadata (RFC 9728) */
  'GET /.well-known/oauth-protected-resource/mcp': {
    answer: OAuthResource
  }
  /** Register an OAuth client (RFC 7591) */
  'POST /oauth/register': {
    body: OAuthClientMetadata
    answer: OAuthClient
  }
  /** Get the protected resource metadata (RFC 9728) */
  'GET /.well-known/oauth-protected-resource': {
    answer: OAuthResource
  }
  /** Revoke a token (RFC 7009) */
  'POST /oauth/revoke': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    type: "application/x-www-form-urlencoded"
    answer: Record<string, never>
  }
  /** Get the authorization server metadata (RFC 8414) */
  'GET /.well-known/oauth-authorization-server': {
    answer: OAuthServer
  }
  /** Exchange a code, device code or refresh token for tokens */
  'POST /oauth/token': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    type: "application/x-www-form-urlencoded"
    answer: OAuthTokens
  }
  /** List agents of all users */
  'GET /api/operator/agents': {
    query?: {
      status?: "pending" | "provisioning" | "running" | "stopped" | "error" | undefined
      failing?: "true" | "false" | undefined
      userId?: string | number | boolean | undefined
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      agents: OperatedAgent[]
      /** The `cursor` of the next page; null on the last page */
      nextCursor: string | null
    }
  }
  /** List watchdog incidents of all users */
  'GET /api/operator/incidents': {
    query?: {
      open?: "true" | "false" | undefined
      userId?: string | number | boolean | undefined
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      incidents: OperatedIncident[]
      /** The `cursor` of the next page; null on the last page */
      nextCursor: string | null
    }
  }
  /** List model providers and their availability */
  'GET /api/operator/providers': {
    answer: {
      providers: OperatedProvider[]
    }
  }
  /** List queues with message counts */
  'GET /api/operator/queues': {
    answer: {
      queues: OperatedQueue[]
    }
  }
  /** Redrive the dead-letter queue of a queue */
  'POST /api/operator/queues/{name}/redrive': {
    path: [name: string]
    params: {
      name: string | number | boolean
    }
    answer: RedrivenQueue
  }
  /** List users with their plans */
  'GET /api/operator/users': {
    query?: {
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      users: OperatedUser[]
      /** The `cursor` of the next page; null on the last page */
      nextCursor: string | null
    }
  }
  /** Ask a model or an agent, paid by x402 */
  'POST /api/v1/gateway': {
    body: GatewayRequest
    idempotent: true
    answer: GatewayTextAnswer | GatewayAgentAnswer
  }
  /** Call the x402 gateway */
  'POST /api/x402': {
    body: X402Action
    idempotent: true
    answer: X402Answer
  }
  /** Get the health of the x402 gateway */
  'GET /api/x402': {
    answer: X402Health
  }
  /** Redirect to the checkout of a plan */
  'GET /api/payments/checkout': {
    query: {
      plan: "label" | "solo" | "collective" | "network"
    }
    answer: string
  }
  /** Redirect to the checkout of credits */
  'GET /api/payments/credits': {
    query: {
      price: 50 | 200 | 500
    }
    answer: string
  }
  /** Receive a webhook of the payment provider */
  'POST /api/webhooks/payments': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    answer: {
      received: true
    }
  }
  /** Buy storage, or change or cancel it */
  'POST /api/stripe/storage-upgrade': {
    idempotent: true
    answer: {
      url: string
    }
  }
  /** Cancel a run */
  'POST /api/runs/{id}/cancel': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body?: {
      reason?: string | undefined
    } | undefined
    answer: CancelledRun
  }
  /** List runs */
  'GET /api/runs': {
    query?: {
      agentId?: string | number | boolean | undefined
      state?: "queued" | "active" | "cancelling" | "finished" | "failed" | "cancelled" | undefined
    } | undefined
    answer: {
      runs: Run[]
    }
  }
  /** Create a scheduled task */
  'POST /api/scheduled-tasks': {
    body: NewScheduledTask
    idempotent: true
    answer: ScheduledTask
  }
  /** Delete a scheduled task */
  'DELETE /api/scheduled-tasks': {
    body: {
      taskId: string
    }
    answer: {
      success: true
      taskId: string
    }
  }
  /** List scheduled tasks */
  'GET /api/scheduled-tasks': {
    query?: {
      agentId?: string | number | boolean | undefined
    } | undefined
    answer: {
      tasks: ScheduledTask[]
      count: number
    }
  }
  /** Run a scheduled task now */
  'POST /api/scheduled-tasks/{id}/run': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    idempotent: true
    answer: {
      runId: string
    }
  }
  /** List the runs of a scheduled task */
  'GET /api/scheduled-tasks/{id}/runs': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    query?: {
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      runs: ScheduledRun[]
    }
  }
  /** Update a scheduled task */
  'PUT /api/scheduled-tasks': {
    body: ScheduledTaskChange
    answer: ScheduledTask
  }
  /** Describe the security event receiver */
  'GET /api/security/risc': {
    answer: {
      status: "ok"
      endpoint: string
      description: string
      events_supported: string[]
    }
  }
  /** Receive a security event token (RISC) */
  'POST /api/security/risc': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    type: "application/secevent+jwt"
    answer: null
  }
  /** Receive a security event token (legacy path) */
  'POST /api/auth/idp/risc': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    type: "application/secevent+jwt"
    answer: {
      received: true
    }
  }
  /** Update the name or email */
  'POST /api/settings': {
    body: AccountChange
    answer: Profile
  }
  /** Change the password */
  'POST /api/settings/password': {
    body: {
      /** Not required if the account has no password yet */
      currentPassword?: string | undefined
      newPassword: string
    }
    answer: {
      success: true
    }
  }
  /** Get the profile */
  'GET /api/settings': {
    answer: Profile
  }
  /** Get the telemetry collector */
  'GET /api/settings/telemetry': {
    answer: Telemetry
  }
  /** Set the telemetry collector */
  'PUT /api/settings/telemetry': {
    body: NewTelemetry
    answer: Telemetry
  }
  /** Send a test span to the telemetry collector */
  'POST /api/settings/telemetry/test': {
    answer: TelemetryTest
  }
  /** Update the profile */
  'PATCH /api/settings': {
    body: ProfileChange
    answer: Profile
  }
  /** Install or update a skill of an agent */
  'POST /api/skills': {
    body: SkillOfAgent
    answer: {
      success: true
      installed: boolean
      deployed: boolean
    }
  }
  /** List skills */
  'GET /api/skills': {
    query?: {
      category?: string | number | boolean | undefined
      featured?: "true" | "false" | undefined
      search?: string | number | boolean | undefined
      agentId?: string | number | boolean | undefined
    } | undefined
    answer: {
      skills: Skill[]
      categories: string[]
      featured: Skill[]
      installedSkillIds: string[]
    }
  }
  /** Uninstall a skill of an agent */
  'DELETE /api/skills': {
    body: SkillOfAgent
    answer: {
      success: true
      installed: boolean
      deployed: boolean
    }
  }
  /** Run a skill of an agent */
  'POST /api/skills/{name}': {
    path: [name: string]
    params: {
      name: string | number | boolean
    }
    body: SkillUse
    idempotent: true
    answer: ChatAnswer
  }
  /** Get the use of storage by agents’ files */
  'GET /api/storage': {
    answer: Storage
  }
  /** Create a swarm */
  'POST /api/swarms': {
    body: NewSwarm
    idempotent: true
    answer: Swarm
  }
  /** List swarms */
  'GET /api/swarms': {
    answer: {
      swarms: Swarm[]
      count: number
    }
  }
  /** Run a swarm */
  'POST /api/swarms/{id}/run': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: SwarmRun
    idempotent: true
    answer: SwarmResults
  }
  /** Describe the token gate */
  'GET /api/auth/token-gating/verify': {
    answer: EndpointDescription
  }
  /** Verify that a wallet holds a token */
  'POST /api/auth/token-gating/verify': {
    body: {
      /** The account: 0x and 40 hex digits */
      address: string
      /** The signed message (EIP-4361) */
      message: string
      /** Signature of an externally owned account or a contract account */
      signature: string
      /** An ERC-20 or ERC-721 contract; default: the platform’s token */
      tokenAddress?: string | undefined
      /** In the smallest unit of the token; default 1 */
      minimumBalance?: string | undefined
    }
    answer: TokenGate
  }
  /** Get usage by day, agent and model */
  'GET /api/usage/breakdown': {
    query?: {
      days?: string | number | boolean | undefined
    } | undefined
    answer: {
      success: true
      data: UsageOfDayAgentAndModel[]
    }
  }
  /** Get usage by agent */
  'GET /api/usage/by-agent': {
    query?: {
      days?: string | number | boolean | undefined
    } | undefined
    answer: {
      success: true
      data: UsageOfOwnAgent[]
    }
  }
  /** Get usage by API key */
  'GET /api/usage/by-key': {
    query?: {
      days?: string | number | boolean | undefined
    } | undefined
    answer: {
      success: true
      data: UsageOfKey[]
    }
  }
  /** Get usage by model */
  'GET /api/usage/by-model': {
    query?: {
      days?: string | number | boolean | undefined
    } | undefined
    answer: {
      success: true
      data: UsageOfOwnModel[]
    }
  }
  /** Get costs by agent, day and model */
  'GET /api/dashboard/cost': {
    query?: {
      period?: "7d" | "30d" | "mtd" | undefined
    } | undefined
    answer: Cost
  }
  /** Get usage by day */
  'GET /api/usage/daily': {
    query?: {
      days?: string | number | boolean | undefined
    } | undefined
    answer: {
      success: true
      data: UsageOfOwnDay[]
    }
  }
  /** Get metrics of agents, messages and calls */
  'GET /api/metrics': {
    answer: {
      metrics: Metrics
      timestamp: string
    }
  }
  /** Get tool calls by tool */
  'GET /api/usage/tools': {
    query?: {
      days?: string | number | boolean | undefined
    } | undefined
    answer: {
      success: true
      data: UsageOfTool[]
    }
  }
  /** Create a test usage record */
  'POST /api/test-usage': {
    answer: {
      status: "ok"
      message: string
      timestamp: string
    }
  }
  /** Create a video */
  'POST /api/generate-video': {
    body: NewVideo
    idempotent: true
    answer: VideoOrdered
  }
  /** Create a sign-in nonce */
  'POST /api/auth/nonce': {
    answer: {
      nonce: string
    }
  }
  /** Create a sign-in nonce */
  'GET /api/auth/nonce': {
    answer: {
      nonce: string
    }
  }
  /** Sign in with a wallet (Sign-In with Ethereum) */
  'POST /api/wallet-auth': {
    body: {
      /** The account: 0x and 40 hex digits */
      address: string
      /** The signed message (EIP-4361) */
      message: string
      /** Signature of an externally owned account or a contract account */
      signature: string
    }
    answer: WalletSignedIn
  }
  /** Get a wallet address */
  'GET /api/wallet/address': {
    query?: {
      agentId?: string | number | boolean | undefined
    } | undefined
    answer: {
      /** With its checksum (EIP-55) */
      address: string
      agentId: string
    }
  }
  /** Create a wallet for an agent */
  'POST /api/wallet/create': {
    body: {
      agentId: string
    }
    idempotent: true
    answer: Wallet
  }
  /** List wallets */
  'GET /api/wallet': {
    answer: {
      wallets: WalletOfList[]
      count: number
    }
  }
  /** Create a webhook endpoint */
  'POST /api/webhook-endpoints': {
    body: NewWebhookEndpoint
    answer: CreatedWebhookEndpoint
  }
  /** Delete a webhook endpoint */
  'DELETE /api/webhook-endpoints/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: WebhookEndpointDeleted
  }
  /** List deliveries of a webhook endpoint */
  'GET /api/webhook-endpoints/{id}/deliveries': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    query?: {
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      deliveries: WebhookDelivery[]
    }
  }
  /** List webhook endpoints */
  'GET /api/webhook-endpoints': {
    answer: {
      endpoints: WebhookEndpoint[]
    }
  }
  /** Redeliver an event */
  'POST /api/webhook-endpoints/{id}/deliveries/{deliveryId}/redeliver': {
    path: [id: string, deliveryId: string]
    params: {
      id: string | number | boolean
      deliveryId: string | number | boolean
    }
    answer: WebhookDelivery
  }
  /** Send a test event to a webhook endpoint */
  'POST /api/webhook-endpoints/{id}/test': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: WebhookDelivery
  }
  /** Receive a webhook of the email provider */
  'POST /api/webhooks/email': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    answer: EmailReceived
  }
  /** Receive a webhook of the streaming provider */
  'POST /api/webhooks/streaming': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    answer: StreamingEventReceived
  }
  /** Withdraw USDC from the wallet of an agent */
  'POST /api/wallet/withdraw': {
    body: NewWithdrawal
    idempotent: true
    answer: WithdrawalCreated
  }
  /** List withdrawals */
  'GET /api/wallet/withdrawals': {
    query?: {
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      withdrawals: Withdrawal[]
    }
  }
}
