/** Written by `npm run api` from the routes of the web surface. */

export interface AccountChange {
  name?: string | undefined
  email?: string | undefined
  /** For another email; a user without a password must have signed in within 15 minutes */
  currentPassword?: string | undefined
}

export interface AccountDeletion {
  password?: string | undefined
  /** The account’s email address, for an account without a password */
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
  /** Idle minutes after which it sleeps; null for never */
  sleepAfterMinutes?: number | null | undefined
  /** USD a calendar month in UTC */
  spendCapUsd?: number | null | undefined
  /** Whether anyone who pays may talk to it through /api/v1/gateway */
  paidGateway?: boolean | null | undefined
  /** Whether a message from another agent wakes it where it sleeps */
  wakeOnMessage?: boolean | null | undefined
  /** Whether its model may write to other agents and read what they wrote */
  bus?: boolean | null | undefined
  /** Whether it may reach its own memory, schedules and usage by MCP */
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
  /** Idle minutes after which it sleeps; null where it never does */
  sleepAfterMinutes: number | null
  stopReason: {
    code: string
    exitCode: number | null
    text: string
    at: string
  } | null
  watchdog: Watchdog
}

export interface AgentEvent {
  at: string
  kind: "created" | "started" | "stopped" | "restarted" | "crashed" | "repaired" | "given_up" | "updated" | "restored" | "configured" | "deleted"
  text: string
  /** `user:<id>`, `operator:<id>` or `platform`; null where it is not known */
  by: string | null
}

export interface AgentList {
  agents: Agent[]
  count: number
  status: "ok"
}

export interface AgentStats {
  agentId: string
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
  cpu: number | null
  memory: number | null
  memoryPercent: number | null
  uptimeMs: number | null
  /** Messages that its owner sent it; 0 before the first */
  messagesProcessed: number
  averageResponseMs: number | null
  successRate: number | null
  errorRate: number | null
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
  /** While the subscription is a trial */
  trial: {
    endsAt: string
  } | null
  /** What is paid for; it gives no room yet */
  storageGb: number
  byokEnabled: boolean
  /** Tokens of the calendar month in UTC; what a key of the user’s own served is not in it */
  usage: {
    used: number
    /** Null where there is no limit */
    quota: number | null
    /** Null where there is no limit */
    remaining: number | null
    resetsAt: string
  }
  /** How many agents run or are on their way, and how many may; null where nothing bounds them */
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
  /** Without it, every key is removed */
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
  /** Tokens of the calendar month in UTC; what a key of the user’s own served is not in it */
  usage: {
    used: number
    /** Null where there is no limit */
    quota: number | null
    /** Null where there is no limit */
    remaining: number | null
    resetsAt: string
  }
}

export interface Booking {
  /** The id of the message that opened it */
  bookingId: string
  status: "offered" | "accepted" | "declined"
  /** The agent that opened it */
  from: string
  to: string
  eventId: number | string | null
  talentName: string | null
  /** Of the latest offer */
  amount: string
  currency: string
  /** The agent that made the latest offer */
  offeredBy: string
  /** The split that pays it; null before it is settled */
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
  /** The split that pays it; null before it is settled */
  splitId: number | null
  /** The split’s; before there is one, the booking’s */
  status: "queued" | "processing" | "completed" | "failed" | "offered" | "accepted" | "declined"
  /** Of status */
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
  /** Null where the host has not answered */
  status: number | null
  /** Of the answer’s body, as far as it was passed back; null until it is over */
  bytes: number | null
}

export interface CancelledRun {
  id: string
  state: "cancelling"
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
  /** The clone’s own wallet */
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
  /** null for one that is no clone */
  specialization: "general" | "ar" | "promo" | "booking" | "support" | "analytics" | null
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
  /** Fitness from 0 to 100; null where the x402 gateway does not tell */
  fitness: number | null
  children: ColonyNode[]
}

export interface ColonySoul {
  soul: {
    agentId: string
    name: string
    /** Fitness from 0 to 100; null where the x402 gateway does not tell */
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

export interface Cost {
  period: "7d" | "30d" | "mtd"
  summary: {
    /** USD of the calls whose price is known; null where no price of any is */
    totalCost: number | null
    totalTokens: number
    totalCalls: number
    /** USD a call, of those whose price is known */
    avgCostPerCall: number | null
  }
  /** Dearest first */
  agents: {
    name: string
    tokens: number
    /** USD of the calls whose price is known; null where no price of any is */
    cost: number | null
    calls: number
    /** USD a call, of those whose price is known */
    avgCostPerCall: number | null
    /** The one that it called most */
    model: string
  }[]
  /** Every day of the period, oldest first */
  daily: {
    /** A label, such as Nov 21, in UTC */
    date: string
    /** USD of the calls whose price is known; null where no price of any is */
    cost: number | null
    tokens: number
  }[]
  /** Dearest first */
  modelBreakdown: {
    model: string
    /** Of the cost, to a tenth; they add up to 100 */
    percent: number
    /** USD of the calls whose price is known; null where no price of any is */
    cost: number | null
  }[]
  /** There is no usage yet, and these are sample figures */
  isMockData: boolean
  message?: string | undefined
}

export interface CreatedKey {
  id: string
  name: string
  /** The raw key, shown only here */
  key: string
  createdAt: string
  scopes: ("read" | "chat" | "write" | "money" | "admin")[]
  /** Null for never */
  expiresAt: string | null
}

export interface CreatedWebhookEndpoint {
  id: string
  url: string
  events: WebhookEventType[]
  /** Shown this once */
  secret: string
}

export interface CreditLedger {
  /** Newest first */
  entries: {
    at: string
    /** Credits; negative for what was drawn or taken back */
    amount: number
    reason: "grant" | "use" | "refund" | "referral"
    /** Credits after it */
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
  /** Their id at the chat service */
  id: string
  /** As the service shows it; null where it is not known */
  name: string | null
  state: "pending" | "approved" | "blocked"
  /** What the bot answered them; null once it was decided */
  code: string | null
  /** Whether the bot knows already; otherwise from the next start of the agent on */
  applied: boolean
}

export interface DeletedAgent {
  id: string
  deleted: true
}

export interface DemoAnswer {
  id: string
  /** The model that served */
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
  /** Cut to 4000 characters */
  message: string
  /** The id of one of the listed models; the first of them without it */
  model?: string | undefined
  /** A name for the kind of chat; changes nothing */
  mode?: string | undefined
  /** Earlier messages: those of role user count, the newest 20 of them, each cut to 4000 characters. With the message they have at most 16000 characters: the oldest are left out first */
  conversation?: {
    role: string
    content: string
  }[] | undefined
}

export interface DuplicateRequest {
  name: string
}

export interface EmailReceived {
  received: true
  /** Rejected: its sender is not on the list; rate_limited: the eleventh in an hour */
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
  /** USD of one call with an answer of one token; null where no price is known */
  low: number | null
  /** USD of one call with an answer of maxTokens */
  high: number | null
  currency: "USD"
  /** Of 30 days with runsPerDay calls; null without it */
  perMonth: {
    low: number | null
    high: number | null
  } | null
  /** USD left of the spend cap; null without one */
  capRemaining: number | null
  /** Tokens left of the plan’s; null for no limit */
  quotaRemaining: number | null
  note: string
}

export interface EstimateQuestion {
  agentId?: string | undefined
  /** Of the two, this one counts */
  model?: string | undefined
  /** As POST /v1/chat/completions takes them */
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
  /** A JWT; it lasts an hour */
  sessionToken: string
  fid: number
  address: string | null
  /** Whether the address holds the platform’s token */
  tokenGated: boolean
  accessLevel: "holder" | "basic"
}

export interface FleetCosts {
  costs: {
    agentId: string
    agentName: string
    status: "pending" | "provisioning" | "running" | "stopped" | "error"
    /** USD in this month; null where the price of no call is known */
    cost: number | null
    createdAt: string
  }[]
  /** USD: the sum of those that are known */
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
  /** Of the message that asked */
  id: string
  agentId: string
  agentName: string | null
  status: "completed" | "failed" | "running"
  /** The first 200 characters of what was asked */
  description: string
  model: string | null
  tokensUsed: number | null
  /** Null where it cannot be told which calls were the turn’s */
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
  /** In place of prompt */
  messages?: {
    role: "system" | "user" | "assistant"
    content: string
  }[] | undefined
  /** One of the label plan’s set */
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
  /** The model that served */
  model: string
  text: string
  usage: TokenUsage
}

export interface Heartbeat {
  frequency: "30m" | "1h" | "2h" | "3h" | "6h" | "12h" | "24h"
  enabled: boolean
  /** When the user’s installation was last seen */
  lastHeartbeat: string | null
  /** Null while disabled, or before the first one */
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
  /** Messages since its container started, as that counts; null where it does not say */
  messages: number | null
  /** Messages that it could not answer since its container started, as that counts; null where it does not say */
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
  /** `processing` from when the provider has taken the order */
  status: "queued" | "processing" | "completed" | "failed"
  /** Of a completed one: where the video can be fetched for an hour, new at each read */
  url: string | null
  /** Of a failed one: why, in the provider’s words if any */
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
}

export interface KeyHolder {
  valid: true
  userId: string
  plan: "label" | "solo" | "collective" | "network" | "free"
  features: ("dashboard" | "agents" | "chat" | "usage" | "marketplace" | "underground" | "priority")[]
  email: string
  subscriptionStatus: string
}

export interface LogEvent {
  type: "connected" | "line" | "exit"
  agentId: string
  text?: string | undefined
  /** The exit code; null where it is unknown */
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
  /** Of a reply whose turn was cancelled */
  cancelled?: true | undefined
  /** Why it was cancelled, where that was said */
  reason?: string | null | undefined
  /** Of a reply in one conversation */
  model?: string | null | undefined
  /** Of a reply in one conversation */
  usage?: TokenUsage | null | undefined
}

export interface Metrics {
  agents: {
    total: number
    /** Running */
    active: number
    /** Neither running nor failed */
    inactive: number
    failed: number
  }
  messages: {
    today: number
    /** Since Monday, in UTC */
    thisWeek: number
    thisMonth: number
  }
  /** The latest deployment of each agent; one that is under way is only in the total */
  deployments: {
    total: number
    successful: number
    failed: number
  }
  /** Of the month’s calls to models */
  performance: {
    /** Milliseconds; null before there is any call */
    averageResponseMs: number | null
    /** From 0 to 1; null before there is any call */
    successRate: number | null
  }
}

export interface Model {
  id: string
  /** The id where the provider has no other name for it */
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

export interface NewAgent {
  name: string
  model?: "claude-opus-4-6" | "gpt-4" | "custom" | undefined
  config?: AgentConfigChange | undefined
  /** starter, pro or enterprise */
  tier?: string | undefined
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
  /** No more than the user's own, which is the default */
  plan?: string | undefined
  aiProvider?: string | undefined
  telegramToken?: string | undefined
  discordBotToken?: string | undefined
  whatsappToken?: string | undefined
  name?: string | undefined
}

export interface NewBrokerCredential {
  name: string
  /** `api.example.com`, or `api.example.com:8443`; lower case, no wildcard, no address */
  hosts: string[]
  /** `authorization: Bearer {value}` */
  header: string
  /** Kept sealed, and never shown again */
  value: string
}

export interface NewKey {
  name: string
  /** read, chat and write unless said otherwise; money and admin only with a session */
  scopes?: ("read" | "chat" | "write" | "money" | "admin")[] | undefined
  /** Null, as without it, for never */
  expiresAt?: string | null | undefined
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

export interface NewSnapshot {
  name?: string | null | undefined
}

export interface NewSwarm {
  name: string
  description?: string | null | undefined
  agents: string[]
}

export interface NewTelemetry {
  /** The collector’s address; null switches off */
  otlpUrl: string | null
  /** Sent with every request, and never shown again */
  headers?: Record<string, string> | undefined
  /** Whether prompts and answers are sent too */
  content?: boolean | undefined
}

export interface NewUser {
  id: string
  email: string
  name: string
}

export interface NewVideo {
  prompt: string
  /** How long it is to be; the provider’s own choice without it */
  seconds?: number | string | undefined
  /** Width x height in pixels; the provider’s own choice without it */
  size?: string | undefined
}

export interface NewWebhookEndpoint {
  url: string
  events: WebhookEventType[]
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
  /** The device’s own word for itself */
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
  /** Seconds between two questions */
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
  /** Null for the platform’s own */
  userId: string | null
  status: "pending" | "provisioning" | "running" | "stopped" | "error"
  /** Of its container, as it was last seen */
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
  /** It answers with the key that it was given */
  healthy: boolean
  standIn: boolean
  /** Models of plans, tasks and the demo that it should serve and does not list */
  unlistedModels: string[]
  checkedAt: string
}

export interface OperatedQueue {
  name: string
  waiting: number
  dead: number
  /** Null: queues do not tell it */
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
  /** A month */
  price: number
  currency: "GBP"
  limits: {
    agents: number
    /** How many of them may be awake at once */
    awakeAgents: number
    skills: number
    /** Between agents */
    dailyMessages: number
    /** Null where there is no limit */
    monthlyTokens: number | null
  }
  /** Null for all */
  models: string[] | null
  container: {
    cpu: number
    memoryGb: number
  }
}

export interface Profile {
  id: string
  email: string
  name: string
  plan: string
  credits: number
  twoFactorEnabled: boolean
  /** USD a calendar month in UTC; null for no cap */
  spendCapUsd: number | null
  /** Whether calls beyond the plan’s quota draw credits; absent until set, and then yes */
  useCredits?: boolean | undefined
  /** Percents of the spend cap and of the plan’s quota at which the user is told */
  spendAlerts?: number[] | undefined
  /** Once the user has set them */
  notifications?: Record<string, unknown> | undefined
}

export interface ProfileChange {
  name?: string | undefined
  notifications?: Record<string, unknown> | undefined
  /** USD a calendar month in UTC; null for no cap */
  spendCapUsd?: number | null | undefined
  /** Whether calls beyond the plan’s quota draw credits; they do unless this is false */
  useCredits?: boolean | undefined
  /** Percents of the spend cap and of the plan’s quota at which the user is told */
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
  /** Messages that are in the queue again */
  moved: number
  /** Messages that are still in the dead-letter queue, about */
  dead: number
}

export interface RepriceQuestion {
  days: number
  model: string
}

export interface Repricing {
  /** What the calls cost whose price is known; null where no price of any is */
  actualUsd: number | null
  /** What the same tokens cost with the model; null where it has no price */
  wouldBeUsd: number | null
  byModel: {
    model: string
    provider: string
    inputTokens: number
    outputTokens: number
    turns: number
    actualUsd: number | null
    wouldBeUsd: number | null
  }[]
  /** Calls whose price is not known; actualUsd leaves them out */
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

export interface Run {
  id: string
  kind: "turn" | "task" | "swarm" | "video" | "split" | "provisioning"
  /** Null for a swarm, and for what no agent does */
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
  /** When it was last due */
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
  /** Their id at the chat service */
  id: string
  /** As the service shows it; null where it is not known */
  name: string | null
  state: "pending" | "approved" | "blocked"
  /** What the bot answered them; null once it was decided */
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
  /** To a quarter of an hour */
  lastSeenAt: string
  /** Of a program that was let in: its name */
  userAgent: string | null
  /** From which it was signed in */
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
  /** What failed, or is waited for */
  reason: string | null
  createdAt: string
  completedAt: string | null
  recipients: {
    address: string
    share: number
    /** USDC, with 6 decimals */
    amount: string
    status: "pending" | "submitted" | "confirmed" | "failed"
    /** The transaction that a block holds, else the newest */
    txHash: string | null
    reason: string | null
  }[]
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

export interface Telemetry {
  otlpUrl: string | null
  /** Their names */
  headers: string[]
  content: boolean
}

export interface TelemetryTest {
  ok: boolean
  /** Of the collector; null where it did not answer */
  status: number | null
}

export interface Ticket {
  /** Lets a browser in to the agent, once and within a minute */
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
  /** Null once the agent is deleted */
  agent_name: string | null
  model: string
  provider: string
  input_tokens: number
  output_tokens: number
  total_tokens: number
  /** USD of the calls whose price is known; null where no price of any is */
  cost_usd: number | null
  turns: number
  /** Of the turns, those whose price is not known */
  unpriced: number
}

export interface UsageOfKey {
  /** Null for what no API key asked for */
  key_id: string | null
  key_name: string | null
  input_tokens: number
  output_tokens: number
  total_tokens: number
  /** Of input_tokens, read from a provider’s cache */
  cache_read_tokens: number
  /** Of input_tokens, written to a provider’s cache */
  cache_write_tokens: number
  /** Of output_tokens */
  reasoning_tokens: number
  /** USD of the calls whose price is known; null where no price of any is */
  cost_usd: number | null
  turns: number
}

export interface UsageOfOwnAgent {
  agent_id: string | null
  /** Null once the agent is deleted */
  agent_name: string | null
  input_tokens: number
  output_tokens: number
  total_tokens: number
  /** Of input_tokens, read from a provider’s cache */
  cache_read_tokens: number
  /** Of input_tokens, written to a provider’s cache */
  cache_write_tokens: number
  /** Of output_tokens */
  reasoning_tokens: number
  /** USD of the calls whose price is known; null where no price of any is */
  cost_usd: number | null
  turns: number
}

export interface UsageOfOwnDay {
  /** YYYY-MM-DD, in UTC */
  date: string
  total_tokens: number
  /** Of input_tokens, read from a provider’s cache */
  cache_read_tokens: number
  /** Of input_tokens, written to a provider’s cache */
  cache_write_tokens: number
  /** Of output_tokens */
  reasoning_tokens: number
  /** USD of the calls whose price is known; null where no price of any is */
  cost_usd: number | null
  turns: number
}

export interface UsageOfOwnModel {
  model: string
  provider: string
  input_tokens: number
  output_tokens: number
  total_tokens: number
  /** Of input_tokens, read from a provider’s cache */
  cache_read_tokens: number
  /** Of input_tokens, written to a provider’s cache */
  cache_write_tokens: number
  /** Of output_tokens */
  reasoning_tokens: number
  /** USD of the calls whose price is known; null where no price of any is */
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
  /** USDC; null while the chain is not configured or does not answer */
  balance_usdc: number | null
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

export interface WebhookDelivery {
  id: string
  /** The `webhook-id` of the event, the same at every try */
  messageId: string
  type: WebhookEventType
  createdAt: string
  status: "pending" | "delivered" | "failed"
  attempts: number
  /** Null where the last try had no answer */
  responseStatus: number | null
  nextAttemptAt: string | null
}

export interface WebhookEndpoint {
  id: string
  url: string
  events: WebhookEventType[]
  createdAt: string
  /** When it was disabled: after three days of failure, by its answer 410 Gone, or with every key, as by a password that was reset; null while it is posted to */
  disabledAt: string | null
}

export interface WebhookEndpointDeleted {
  success: true
  id: string
}

export type WebhookEventType = "agent.running" | "agent.stopped" | "agent.crashed" | "agent.repaired" | "agent.given_up" | "agent.deleted" | "run.finished" | "run.failed" | "spend.threshold" | "quota.threshold" | "key.created" | "key.deleted" | "subscription.changed" | "split.completed" | "split.failed" | "ping"

export interface X402Action {
  action: "join-colony" | "fitness" | "pricing" | "endpoints" | "pay"
  /** Of every action but endpoints; of join-colony and pay one of the caller’s own */
  agentId?: string | undefined
  /** Of join-colony */
  walletAddress?: string | undefined
  /** Of pay */
  amount?: string | undefined
  /** Of pay; passed on as it is */
  currency?: string | undefined
  /** Of pay */
  recipient?: string | undefined
  /** What is paid for, by its slug at the gateway */
  endpoint?: string | undefined
  /** How it is paid */
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
  /** Where the gateway did not answer */
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
  /** Where the gateway did not answer */
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
  /** Whether the gateway’s status said so */
  success: boolean
  [other: string]: unknown
}

export interface X402Health {
  /** The address of the gateway */
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
  | "BOT_DETECTED"
  | "BROKER_CREDENTIALS_FULL"
  | "CANCELLED"
  | "CLIENT_CLOSED_REQUEST"
  | "CREDENTIALS_FULL"
  | "CSRF"
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
  /** Delete the account with its agents, keys and sessions */
  'POST /api/account/delete': {
    body: AccountDeletion
    answer: {
      success: true
    }
  }
  /** Talk to one’s agent, open a conversation, switch a skill, or keep a credential for it */
  'POST /api/agent': {
    body: AgentAction
    idempotent: true
    answer: AgentActionAnswer
  }
  /** One’s agent, its health, conversations, memory, skills, or the names of its credentials */
  'GET /api/agent': {
    query?: {
      action?: "health" | "sessions" | "session" | "memory" | "skills" | "credentials" | undefined
      agentId?: string | number | boolean | undefined
      sessionId?: string | number | boolean | undefined
    } | undefined
    answer: AgentAnswer
  }
  /** Keep a credential that an agent may use at some hosts but not read; one of the same name is replaced */
  'POST /api/agents/{id}/broker-credentials': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: NewBrokerCredential
    answer: BrokerCredential
  }
  /** Take a broker credential from an agent */
  'DELETE /api/agents/{id}/broker-credentials/{name}': {
    path: [id: string, name: string]
    params: {
      id: string | number | boolean
      name: string | number | boolean
    }
    answer: BrokerCredentialDeleted
  }
  /** The names and hosts of an agent’s broker credentials */
  'GET /api/agents/{id}/broker-credentials': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      credentials: BrokerCredential[]
    }
  }
  /** What an agent has used its broker credentials for in 30 days, newest first */
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
  /** The config of one of the caller's agents, its secrets masked */
  'GET /api/agents/{id}/config': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      config: AgentConfig
      status: "ok"
    }
  }
  /** Merge into the config of one of the caller's agents; a container that runs is restarted */
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
      status: "updated"
    }
  }
  /** Make an agent and start it */
  'POST /api/agents/provision': {
    body: NewAgent
    idempotent: true
    answer: {
      success: true
      agent: NewAgentView
    }
  }
  /** A link that lets a browser in to one of the caller’s agents */
  'POST /api/agents/{id}/ticket': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: Ticket
  }
  /** Make an agent that answers on chat services, and start it */
  'POST /api/provision': {
    body: NewAgentWithChannels
    idempotent: true
    answer: AgentWithChannels
  }
  /** Delete one of the caller's agents, with all that is kept for it */
  'DELETE /api/agents/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: DeletedAgent
  }
  /** Make an agent with the config, memory and skills of one of the caller’s, and start it */
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
  /** What became of one of the caller’s agents, newest first */
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
  /** One of the caller’s agents as a zip of readable files, without its secrets */
  'GET /api/agents/{id}/export': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: ArrayBuffer
  }
  /** One of the caller's agents */
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
  /** Make an agent of a zip that an export has answered, and start it */
  'POST /api/agents/import': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    type: "application/zip"
    idempotent: true
    answer: {
      success: true
      agent: NewAgentView
    }
  }
  /** One of the caller's agents as a container */
  'GET /api/instance/{agentId}': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    answer: Instance
  }
  /** The figures of one of the caller's containers, each null where it is not known */
  'GET /api/instance/{agentId}/stats': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    answer: InstanceStats
  }
  /** The caller's agents, newest first, or those that were deleted and can be brought back; none without a session */
  'GET /api/agents': {
    query?: {
      deleted?: "true" | "false" | undefined
    } | undefined
    answer: AgentList | RestorableAgentList
  }
  /** What one of the caller’s agents prints, as server-sent events `line`; Last-Event-ID goes on where a stream was left */
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
  /** The last lines that one of the caller’s agents printed, oldest first, in the last 20 containers that it had */
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
  /** The messages of one of the caller’s agents, the newest first; a page of long ones ends early */
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
  /** Start one of the caller's agents anew, from any state */
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
  /** Make one of the caller's agents forget its notes and its conversations */
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
  /** Stop one of the caller's agents and start it again */
  'POST /api/instance/{agentId}/restart': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    idempotent: true
    answer: InstanceRestart
  }
  /** Have one of the caller’s agents become what a restore point says; a deleted one comes back under its id */
  'POST /api/agents/{id}/restore': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: RestoreRequest
    idempotent: true
    answer: RestoreAccepted
  }
  /** Approve or block who writes to a bot of one of the caller’s agents */
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
  /** Who writes to the Telegram or Discord bot of one of the caller’s agents */
  'GET /api/agents/{id}/channels/{channelId}/senders': {
    path: [id: string, channelId: string]
    params: {
      id: string | number | boolean
      channelId: string | number | boolean
    }
    answer: SenderList
  }
  /** Make a restore point of one of the caller’s agents */
  'POST /api/agents/{id}/snapshots': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body?: NewSnapshot | undefined
    idempotent: true
    answer: Snapshot
  }
  /** The restore points of one of the caller’s agents, newest first */
  'GET /api/agents/{id}/snapshots': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      snapshots: Snapshot[]
    }
  }
  /** Start one of the caller's agents */
  'POST /api/instance/{agentId}/start': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    idempotent: true
    answer: InstanceState
  }
  /** How one of the caller’s agents is, and how it did */
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
  /** Stop one of the caller's agents */
  'POST /api/instance/{agentId}/stop': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    idempotent: true
    answer: InstanceState
  }
  /** Start one of the caller's agents on another image; one that fails is taken back */
  'POST /api/instance/{agentId}/update': {
    path: [agentId: string]
    params: {
      agentId: string | number | boolean
    }
    body?: {
      /** The platform's own when absent */
      image?: string | undefined
    } | undefined
    idempotent: true
    answer: InstanceImage
  }
  /** Prove who stands behind one of the caller’s agents */
  'POST /api/agents/{id}/verify': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: {
      verificationType: "eas" | "coinbase" | "ens" | "webauthn"
      attestationUid?: string | undefined
      walletAddress?: string | undefined
      /** Of `Verify agent <id>` by walletAddress, EIP-191 */
      signature?: string | undefined
    }
    answer: VerificationMade
  }
  /** Forget who stands behind one of the caller’s agents */
  'DELETE /api/agents/{id}/verify': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      success: true
    }
  }
  /** Who stands behind one of the caller’s agents, where that was proven */
  'GET /api/agents/{id}/verify': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: Verification
  }
  /** Every change of the caller’s account, access and money, oldest first: one entry a line, each chained to the one before it by its hash */
  'GET /api/audit': {
    query?: {
      since?: string | number | boolean | undefined
    } | undefined
    answer: AuditEntry[]
  }
  /** Go to the code host to sign in */
  'GET /api/auth/github': {
    query?: {
      next?: string | number | boolean | undefined
    } | undefined
    answer: string
  }
  /** Take the code host’s answer and begin a session */
  'GET /api/auth/github/callback': {
    answer: string
  }
  /** The token that requests from another site must carry */
  'GET /api/auth/csrf': {
    answer: {
      token: string
    }
  }
  /** End one of the caller’s sessions */
  'DELETE /api/auth/sessions/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      success: true
    }
  }
  /** Ask for a link that sets a new password */
  'POST /api/auth/forgot-password': {
    body: {
      email: string
      /** Not shown to people; leave it out */
      website?: unknown
    }
    answer: {
      message: string
    }
  }
  /** Go to the identity provider to sign in */
  'GET /api/auth/idp': {
    query?: {
      next?: string | number | boolean | undefined
    } | undefined
    answer: string
  }
  /** Take the identity provider’s answer and begin a session */
  'GET /api/auth/idp/callback': {
    answer: string
  }
  /** Where the caller is signed in, newest first */
  'GET /api/auth/sessions': {
    answer: {
      sessions: Session[]
    }
  }
  /** Confirm an email address by the link that was sent to it, where its account is signed in */
  'GET /api/auth/verify-email': {
    query?: {
      token?: string | number | boolean | undefined
    } | undefined
    answer: string
  }
  /** Make a user */
  'POST /api/register': {
    body: {
      email: string
      password: string
      name?: string | undefined
      referralCode?: string | undefined
      /** Not shown to people; leave it out */
      website?: unknown
    }
    answer: NewUser
  }
  /** Set a new password by the link that was mailed */
  'POST /api/auth/reset-password': {
    body: {
      token: string
      password: string
    }
    answer: {
      message: string
    }
  }
  /** Who is signed in, if anyone */
  'GET /api/auth/session': {
    answer: {
      user: SessionUser | null
    }
  }
  /** Sign in by email and password */
  'POST /api/auth/login': {
    body: {
      email: string
      password: string
    }
    answer: SignedIn
  }
  /** End the session, if there is one */
  'POST /api/auth/signout': {
    answer: {
      ok: true
    }
  }
  /** Confirm an email address by its link’s token and the account’s password or session */
  'POST /api/auth/verify-email': {
    body: {
      token: string
      password?: string | undefined
    }
    answer: {
      success: true
    }
  }
  /** Pay for a plan or credits, use a provider key of one’s own, or see the usage */
  'POST /api/billing': {
    body: BillingAction
    idempotent: true
    answer: BillingActionAnswer
  }
  /** The caller’s credits and referral code */
  'GET /api/credits': {
    answer: Credits
  }
  /** Every change of the caller’s credits, newest first */
  'GET /api/credits/ledger': {
    query?: {
      limit?: string | number | boolean | undefined
      offset?: string | number | boolean | undefined
    } | undefined
    answer: CreditLedger
  }
  /** The plans on offer, and the caller’s own plan and usage */
  'GET /api/billing': {
    answer: Billing
  }
  /** List the bookings of the caller’s agents, or pay an accepted one */
  'POST /api/skills/booking-settlement': {
    body: BookingSettlementAction
    idempotent: true
    answer: {
      bookings: Booking[]
    } | BookingSettlement
  }
  /** What the skill booking-settlement can do */
  'GET /api/skills/booking-settlement': {
    answer: MoneySkill
  }
  /** Go on with a streamed turn behind Last-Event-ID, or have the whole of one that is over; x-message-id named it */
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
  /** The last messages with an agent, oldest first, and by pages those before */
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
  /** Say something to an agent; its reply comes whole or, with stream, as server-sent events */
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
  /** The conversations with an agent, the latest first */
  'GET /api/chat/topics': {
    query?: {
      agentId?: string | number | boolean | undefined
    } | undefined
    answer: {
      topics: ChatTopic[]
    }
  }
  /** Make an agent after another, paid for on the chain */
  'POST /api/agents/clone': {
    body: CloneRequest
    idempotent: true
    answer: Clone
  }
  /** What cloning an agent costs, and how it is paid for */
  'GET /api/agents/clone': {
    answer: CloneService
  }
  /** The caller’s agents and their clones: as a tree, by fitness, or counted */
  'GET /api/colony/status': {
    query?: {
      action?: "tree" | "soul" | "diagnostics" | undefined
    } | undefined
    answer: ColonyTree | ColonySoul | ColonyDiagnostics
  }
  /** The wallet of an agent of the caller’s at the custodian; made where it has none, and 200 where it has one */
  'POST /api/wallet/cdp': {
    body: {
      agentId: string
    }
    idempotent: true
    answer: Wallet
  }
  /** The wallets of the caller’s agents at the custodian, the newest last, with what they hold */
  'GET /api/wallet/cdp': {
    answer: {
      wallets: WalletOfList[]
      count: number
    }
  }
  /** The models that may be asked without an account, the default first */
  'GET /api/demo/chat': {
    answer: {
      models: DemoModel[]
      mode: "demo"
      message: string
    }
  }
  /** Ask a model something without an account */
  'POST /api/demo/chat': {
    body: DemoRequest
    answer: DemoAnswer
  }
  /** This document */
  'GET /openapi.json': {
    answer: Record<string, unknown>
  }
  /** This reference as a page */
  'GET /docs': {
    answer: string
  }
  /** What a call, and a month of them, would cost */
  'POST /api/estimate': {
    body: EstimateQuestion
    answer: Estimate
  }
  /** What the caller’s usage would have cost with another model */
  'POST /api/usage/reprice': {
    body: RepriceQuestion
    answer: Repricing
  }
  /** What proves a Farcaster account here */
  'GET /api/auth/farcaster/verify': {
    answer: EndpointDescription
  }
  /** How session tokens are exchanged */
  'GET /api/auth/farcaster/refresh': {
    answer: EndpointDescription
  }
  /** Exchange a session token that still holds for a new one */
  'POST /api/auth/farcaster/refresh': {
    body: {
      sessionToken: string
    }
    answer: FarcasterSession
  }
  /** Prove a Farcaster account */
  'POST /api/auth/farcaster/verify': {
    body: {
      token: string
    } | {
      message: string
      signature: string
      /** Of /api/auth/nonce, as the message has it */
      nonce: string
    }
    answer: FarcasterSession
  }
  /** The bookings in which the caller’s agents take part, newest first: a hundred, and by pages those before */
  'GET /api/mission-control/fleet/bookings': {
    query?: {
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      bookings: Booking[]
    }
  }
  /** What each of the caller’s agents has cost in this month, in UTC */
  'GET /api/mission-control/fleet/costs': {
    answer: FleetCosts
  }
  /** The caller’s agents, and which of them wrote to each other in the last 30 days */
  'GET /api/mission-control/fleet/graph': {
    answer: FleetGraph
  }
  /** The last twenty turns of the caller’s agents, newest first */
  'GET /api/mission-control/fleet/traces': {
    answer: FleetTraces
  }
  /** How the machine behind the web surface is doing */
  'GET /api/health': {
    answer: MachineHealth
  }
  /** Whether this surface can do its work */
  'GET /health/ready': {
    answer: Readiness
  }
  /** How often the caller wants their installation to be heard of, and when it was */
  'GET /api/heartbeat': {
    answer: {
      heartbeat: Heartbeat
      message: string
    }
  }
  /** Set the heartbeat back to every three hours */
  'DELETE /api/heartbeat': {
    answer: {
      success: true
      message: string
    }
  }
  /** Change how often the caller wants their installation to be heard of */
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
      /** Null while disabled, or before the first one */
      nextHeartbeat: string | null
      lastUpdated: string
      message: string
    }
  }
  /** Pay several recipients from the wallet of one of the caller’s agents, or see how far it is */
  'POST /api/skills/instant-split': {
    body: InstantSplitAction
    idempotent: true
    answer: {
      splits: Split[]
    } | Split | QueuedSplit
  }
  /** What the skill instant-split can do */
  'GET /api/skills/instant-split': {
    answer: MoneySkill
  }
  /** What has become of a job of the caller’s */
  'GET /api/jobs/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: Job
  }
  /** Make an API key */
  'POST /api/keys': {
    body: NewKey
    answer: CreatedKey
  }
  /** Delete an API key, which opens nothing from then on */
  'DELETE /api/keys/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: {
      success: true
    }
  }
  /** One of the caller’s API keys */
  'GET /api/keys/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: Key
  }
  /** The caller's API keys, newest first */
  'GET /api/keys': {
    answer: {
      keys: Key[]
    }
  }
  /** Whose API key it is, and what it opens */
  'POST /api/keys/validate': {
    body: {
      apiKey: string
    }
    answer: KeyHolder
  }
  /** MCP: the caller’s agents as tools, by an API key or an access token as bearer */
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
  /** Have an agent forget one note; one that is not there counts as forgotten */
  'DELETE /api/memory': {
    body: MemoryDeletion
    answer: {
      success: true
      agentId: string
      key: string
    }
  }
  /** Everything that an agent remembers, what it has written itself included */
  'GET /api/memory': {
    query: {
      agentId: string | number | boolean
    }
    answer: Memory
  }
  /** Write one note into an agent’s memory, or several at once; null forgets one */
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
  /** The models that the providers have now */
  'GET /api/models': {
    answer: {
      models: Model[]
      count: number
    }
  }
  /** Ask the user to let a program in, by PKCE with S256 */
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
  /** Let the device in that shows a code, or refuse it */
  'POST /oauth/device': {
    body: OAuthDeviceDecision
    answer: {
      approved: boolean
    }
  }
  /** Let the program in, or refuse it */
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
  /** Codes for a device without a browser (RFC 8628) */
  'POST /oauth/device_authorization': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    type: "application/x-www-form-urlencoded"
    answer: OAuthDeviceCodes
  }
  /** The device that shows a code */
  'GET /oauth/device': {
    query: {
      user_code: string | number | boolean
    }
    answer: OAuthDevice
  }
  /** What a program asks the user for */
  'GET /oauth/requests/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: OAuthRequest
  }
  /** What access tokens are for (RFC 9728) */
  'GET /.well-known/oauth-protected-resource/mcp': {
    answer: OAuthResource
  }
  /** Register a program that asks users for access (RFC 7591) */
  'POST /oauth/register': {
    body: OAuthClientMetadata
    answer: OAuthClient
  }
  /** What access tokens are for (RFC 9728) */
  'GET /.well-known/oauth-protected-resource': {
    answer: OAuthResource
  }
  /** End what a token opens, with all tokens of its grant (RFC 7009) */
  'POST /oauth/revoke': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    type: "application/x-www-form-urlencoded"
    answer: Record<string, never>
  }
  /** What this authorization server can do (RFC 8414) */
  'GET /.well-known/oauth-authorization-server': {
    answer: OAuthServer
  }
  /** Tokens for a code, a device code or a refresh token */
  'POST /oauth/token': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    type: "application/x-www-form-urlencoded"
    answer: OAuthTokens
  }
  /** Agents of every user with their state and health, newest first */
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
      /** Pass it as `cursor` for what follows; null at the end */
      nextCursor: string | null
    }
  }
  /** What the watchdog saw go wrong with agents of every user, newest first */
  'GET /api/operator/incidents': {
    query?: {
      open?: "true" | "false" | undefined
      userId?: string | number | boolean | undefined
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      incidents: OperatedIncident[]
      /** Pass it as `cursor` for what follows; null at the end */
      nextCursor: string | null
    }
  }
  /** The model providers and whether each answers now */
  'GET /api/operator/providers': {
    answer: {
      providers: OperatedProvider[]
    }
  }
  /** How many messages each queue and its dead-letter queue hold, about */
  'GET /api/operator/queues': {
    answer: {
      queues: OperatedQueue[]
    }
  }
  /** Give the messages of a queue that failed for good another try */
  'POST /api/operator/queues/{name}/redrive': {
    path: [name: string]
    params: {
      name: string | number | boolean
    }
    answer: RedrivenQueue
  }
  /** Every user with their plan, newest first */
  'GET /api/operator/users': {
    query?: {
      limit?: string | number | boolean | undefined
      cursor?: string | number | boolean | undefined
    } | undefined
    answer: {
      users: OperatedUser[]
      /** Pass it as `cursor` for what follows; null at the end */
      nextCursor: string | null
    }
  }
  /** One answer of a model or an agent, for a caller who pays for it by x402 */
  'POST /api/v1/gateway': {
    body: GatewayRequest
    idempotent: true
    answer: GatewayTextAnswer | GatewayAgentAnswer
  }
  /** Join the colony, pay, or read fitness, prices and endpoints at the x402 gateway */
  'POST /api/x402': {
    body: X402Action
    idempotent: true
    answer: X402Answer
  }
  /** What the x402 gateway says of its health */
  'GET /api/x402': {
    answer: X402Health
  }
  /** Lead to where a plan is paid, or changed where one is paid for already */
  'GET /api/payments/checkout': {
    query: {
      plan: "label" | "solo" | "collective" | "network"
    }
    answer: string
  }
  /** Lead to where a pack of credits is paid */
  'GET /api/payments/credits': {
    query: {
      price: 50 | 200 | 500
    }
    answer: string
  }
  /** Take a signed event of the payment provider */
  'POST /api/webhooks/payments': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    answer: {
      received: true
    }
  }
  /** Pay for storage, or change or cancel it; it gives no room yet */
  'POST /api/stripe/storage-upgrade': {
    idempotent: true
    answer: {
      url: string
    }
  }
  /** Have a turn, a run of a task or of a swarm end, stop an agent that is on its way, or end a video that was not sent yet; what was spent is charged */
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
  /** What goes on for the caller and what went on lately, newest first */
  'GET /api/runs': {
    query?: {
      agentId?: string | number | boolean | undefined
      state?: "queued" | "active" | "cancelling" | "finished" | "failed" | "cancelled" | undefined
    } | undefined
    answer: {
      runs: Run[]
    }
  }
  /** Send an agent a prompt by a schedule */
  'POST /api/scheduled-tasks': {
    body: NewScheduledTask
    idempotent: true
    answer: ScheduledTask
  }
  /** Delete a scheduled task; a run that is under way ends as it will */
  'DELETE /api/scheduled-tasks': {
    body: {
      taskId: string
    }
    answer: {
      success: true
      taskId: string
    }
  }
  /** The caller’s scheduled tasks, oldest first, or those of one agent */
  'GET /api/scheduled-tasks': {
    query?: {
      agentId?: string | number | boolean | undefined
    } | undefined
    answer: {
      tasks: ScheduledTask[]
      count: number
    }
  }
  /** Begin a run of a scheduled task now; its schedule stays */
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
  /** The last runs of one of the caller’s scheduled tasks, newest first */
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
  /** Change what is given of a scheduled task */
  'PUT /api/scheduled-tasks': {
    body: ScheduledTaskChange
    answer: ScheduledTask
  }
  /** What the security event receiver takes */
  'GET /api/security/risc': {
    answer: {
      status: "ok"
      endpoint: string
      description: string
      events_supported: string[]
    }
  }
  /** Take a security event token of the identity provider (RISC) */
  'POST /api/security/risc': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    type: "application/secevent+jwt"
    answer: null
  }
  /** Take a security event token, as earlier integrations send it */
  'POST /api/auth/idp/risc': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    type: "application/secevent+jwt"
    answer: {
      received: true
    }
  }
  /** Change the name, or the email once a link mailed to it is opened */
  'POST /api/settings': {
    body: AccountChange
    answer: Profile
  }
  /** Change the password and sign every other device out */
  'POST /api/settings/password': {
    body: {
      /** May be left out by a user who has no password yet */
      currentPassword?: string | undefined
      newPassword: string
    }
    answer: {
      success: true
    }
  }
  /** The current user’s profile */
  'GET /api/settings': {
    answer: Profile
  }
  /** Where spans of the caller’s work are sent */
  'GET /api/settings/telemetry': {
    answer: Telemetry
  }
  /** Have spans of the caller’s work sent to a collector by OTLP, or to none */
  'PUT /api/settings/telemetry': {
    body: NewTelemetry
    answer: Telemetry
  }
  /** Send a span to the caller’s collector, and answer its status */
  'POST /api/settings/telemetry/test': {
    answer: TelemetryTest
  }
  /** Change the name, the notifications or the monthly spend cap */
  'PATCH /api/settings': {
    body: ProfileChange
    answer: Profile
  }
  /** Install a skill into an agent, or bring it up to date */
  'POST /api/skills': {
    body: SkillOfAgent
    answer: {
      success: true
      installed: boolean
      deployed: boolean
    }
  }
  /** The skills that agents can be given, and which of them one’s own agent has */
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
  /** Take a skill out of an agent */
  'DELETE /api/skills': {
    body: SkillOfAgent
    answer: {
      success: true
      installed: boolean
      deployed: boolean
    }
  }
  /** Have an agent work on an input by one of its skills */
  'POST /api/skills/{name}': {
    path: [name: string]
    params: {
      name: string | number | boolean
    }
    body: SkillUse
    idempotent: true
    answer: ChatAnswer
  }
  /** Make a swarm of the caller’s own agents */
  'POST /api/swarms': {
    body: NewSwarm
    idempotent: true
    answer: Swarm
  }
  /** The caller’s swarms, oldest first */
  'GET /api/swarms': {
    answer: {
      swarms: Swarm[]
      count: number
    }
  }
  /** Run a prompt on every member of a swarm, side by side */
  'POST /api/swarms/{id}/run': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    body: SwarmRun
    idempotent: true
    answer: SwarmResults
  }
  /** What proves that a wallet holds a token */
  'GET /api/auth/token-gating/verify': {
    answer: EndpointDescription
  }
  /** Prove that a wallet holds a token */
  'POST /api/auth/token-gating/verify': {
    body: {
      /** The account, 0x and 40 hex digits */
      address: string
      /** The whole message that was signed, as EIP-4361 says */
      message: string
      /** Of an account that is a key, or a contract */
      signature: string
      /** An ERC-20 or ERC-721 contract; the platform’s own where absent */
      tokenAddress?: string | undefined
      /** In the smallest unit of tokenAddress; 1 where absent */
      minimumBalance?: string | undefined
    }
    answer: TokenGate
  }
  /** The caller’s usage by day, agent and model at once */
  'GET /api/usage/breakdown': {
    query?: {
      days?: string | number | boolean | undefined
    } | undefined
    answer: {
      success: true
      data: UsageOfDayAgentAndModel[]
    }
  }
  /** The caller’s usage by agent */
  'GET /api/usage/by-agent': {
    query?: {
      days?: string | number | boolean | undefined
    } | undefined
    answer: {
      success: true
      data: UsageOfOwnAgent[]
    }
  }
  /** The caller’s usage by the API key that asked; a deleted key keeps its row */
  'GET /api/usage/by-key': {
    query?: {
      days?: string | number | boolean | undefined
    } | undefined
    answer: {
      success: true
      data: UsageOfKey[]
    }
  }
  /** The caller’s usage by model */
  'GET /api/usage/by-model': {
    query?: {
      days?: string | number | boolean | undefined
    } | undefined
    answer: {
      success: true
      data: UsageOfOwnModel[]
    }
  }
  /** What the caller’s agents cost, by agent, day and model */
  'GET /api/dashboard/cost': {
    query?: {
      period?: "7d" | "30d" | "mtd" | undefined
    } | undefined
    answer: Cost
  }
  /** The caller’s usage by day */
  'GET /api/usage/daily': {
    query?: {
      days?: string | number | boolean | undefined
    } | undefined
    answer: {
      success: true
      data: UsageOfOwnDay[]
    }
  }
  /** Figures of the caller’s agents, messages and calls */
  'GET /api/metrics': {
    answer: {
      metrics: Metrics
      timestamp: string
    }
  }
  /** Tool calls of the caller’s agents by the tool’s name */
  'GET /api/usage/tools': {
    query?: {
      days?: string | number | boolean | undefined
    } | undefined
    answer: {
      success: true
      data: UsageOfTool[]
    }
  }
  /** Write one test row of usage; where the platform is deployed, for administrators only */
  'POST /api/test-usage': {
    answer: {
      status: "ok"
      message: string
      timestamp: string
    }
  }
  /** Order a video by a prompt; the job tells what becomes of it */
  'POST /api/generate-video': {
    body: NewVideo
    idempotent: true
    answer: VideoOrdered
  }
  /** A nonce for one message to sign, valid for 10 minutes */
  'POST /api/auth/nonce': {
    answer: {
      nonce: string
    }
  }
  /** A nonce for one message to sign, valid for 10 minutes */
  'GET /api/auth/nonce': {
    answer: {
      nonce: string
    }
  }
  /** Sign in by a wallet’s signature (Sign-In with Ethereum) */
  'POST /api/wallet-auth': {
    body: {
      /** The account, 0x and 40 hex digits */
      address: string
      /** The whole message that was signed, as EIP-4361 says */
      message: string
      /** Of an account that is a key, or a contract */
      signature: string
    }
    answer: WalletSignedIn
  }
  /** The address of an agent’s wallet, or of the newest wallet of the caller’s agents */
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
  /** The wallet of an agent of the caller’s; made where it has none, and 200 where it has one */
  'POST /api/wallet/create': {
    body: {
      agentId: string
    }
    idempotent: true
    answer: Wallet
  }
  /** The wallets of the caller’s agents, the newest last, with what they hold */
  'GET /api/wallet': {
    answer: {
      wallets: WalletOfList[]
      count: number
    }
  }
  /** Have events posted to an address; the secret that signs them is shown this once */
  'POST /api/webhook-endpoints': {
    body: NewWebhookEndpoint
    answer: CreatedWebhookEndpoint
  }
  /** Post no more events to an address */
  'DELETE /api/webhook-endpoints/{id}': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: WebhookEndpointDeleted
  }
  /** Deliveries to an address, newest first: the last 100, and by pages those before */
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
  /** The addresses that the caller’s events are posted to, oldest first */
  'GET /api/webhook-endpoints': {
    answer: {
      endpoints: WebhookEndpoint[]
    }
  }
  /** Post an event again, under the same webhook-id */
  'POST /api/webhook-endpoints/{id}/deliveries/{deliveryId}/redeliver': {
    path: [id: string, deliveryId: string]
    params: {
      id: string | number | boolean
      deliveryId: string | number | boolean
    }
    answer: WebhookDelivery
  }
  /** Post an event of type ping */
  'POST /api/webhook-endpoints/{id}/test': {
    path: [id: string]
    params: {
      id: string | number | boolean
    }
    answer: WebhookDelivery
  }
  /** Take a signed event of the email provider */
  'POST /api/webhooks/email': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    answer: EmailReceived
  }
  /** Take a signed event of the streaming provider */
  'POST /api/webhooks/streaming': {
    body: string | Uint8Array<ArrayBuffer> | Blob | URLSearchParams
    answer: StreamingEventReceived
  }
}
