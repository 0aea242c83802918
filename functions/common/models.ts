import { auditLine } from '../../shared/audit/schema.ts'
import { actionAnswer, agentAction, agentAnswer } from '../../shared/agent-console/schema.ts'
import { ticketAnswer } from '../../shared/agent-access/schema.ts'
import { registered, sessionUser, signedIn } from '../../shared/accounts/schema.ts'
import { accountChange, preferences, profile } from '../../shared/accounts/settings-schema.ts'
import { agentConfig, configAnswers } from '../../shared/agents/config/schema.ts'
import {
  agentAnswers,
  agentUpdate,
  deployment,
  instanceAnswers,
  newAgent,
  provisioning,
  webAgentAnswers,
} from '../../shared/agents/schema.ts'
import { verificationMade, verificationView } from '../../shared/agents/verification/schema.ts'
import { modelDescription, selectedModel } from '../../shared/ai/models/schema.ts'
import {
  actionAnswer as billingActionAnswer,
  billingAction,
  billingAnswer,
} from '../../shared/billing/schema.ts'
import { chatAnswer, chatMessage, chatRequest, tokenUsage } from '../../shared/chat/schema.ts'
import { cloneMade, cloneRequest, cloneService } from '../../shared/clone/schema.ts'
import { creditsAnswer, ledgerAnswer } from '../../shared/credits/schema.ts'
import { costAnswer } from '../../shared/dashboard/schema.ts'
import { demoAnswer, demoModel, demoRequest, offeredModel } from '../../shared/demo/schema.ts'
import { endpointDescription, farcasterSession } from '../../shared/farcaster/schema.ts'
import {
  channelAnswer,
  channelProvisioning,
  usersChannelProvisioning,
} from '../../shared/fleet/channels/schema.ts'
import { BackendHealth, MachineHealth, Readiness } from '../../shared/health/schema.ts'
import { heartbeatShown } from '../../shared/heartbeat/schema.ts'
import type { Models } from '../../shared/http/openapi/schemas.ts'
import {
  createdKey,
  keyHolder,
  keyHolderAccount,
  newKey,
  shownKey,
} from '../../shared/keys/schema.ts'
import { activeStreams, logEvent, logHistory } from '../../shared/logs/schema.ts'
import {
  historyAnswer,
  overviewAnswer,
  performanceAnswer,
  summaryAnswer,
} from '../../shared/metrics/schema.ts'
import type { Surface } from '../../shared/manifest/index.ts'
import {
  agentAnswer as paidAgentAnswer,
  gatewayRequest,
  textAnswer,
} from '../../shared/paid-gateway/schema.ts'
import { newTask, taskChange, taskView } from '../../shared/scheduled-tasks/schema.ts'
import {
  agentStats,
  instanceDetails,
  instanceStats,
  runtimeInstances,
  runtimeStats,
  runtimeVersionAnswer,
} from '../../shared/stats/schema.ts'
import { newSwarm, swarmRun, swarmResults, swarmView } from '../../shared/swarms/schema.ts'
import { gateAnswer } from '../../shared/token-gating/schema.ts'
import { usageAnswers } from '../../shared/usage/queries/schema.ts'
import { walletSignedIn } from '../../shared/wallet-sign-in/schema.ts'
import { Incident, WatchdogView } from '../../shared/watchdog/schema.ts'
import { memoryAnswer, memoryChange } from '../../shared/workspace/memory/schema.ts'
import { sessionDetail, sessionList } from '../../shared/workspace/sessions/schema.ts'
import { skillAnswers, skillOfAgent, skillUse } from '../../shared/workspace/skills/schema.ts'
import {
  upstreamAnswer,
  upstreamHealth,
  upstreamRequest,
} from '../../shared/x402-upstream/schema.ts'
import {
  chatAnswer as aiAnswer,
  chatCompletion,
  chatEvents,
  modelList,
} from '../backend/ai/schema.ts'

const health = { MachineHealth, Readiness }
const agent = { Incident, Verification: verificationView, Watchdog: WatchdogView }

const web: Models = {
  requests: {
    AccountChange: accountChange,
    AgentAction: agentAction,
    AgentConfigChange: agentConfig,
    BillingAction: billingAction,
    ChatRequest: chatRequest,
    CloneRequest: cloneRequest,
    DemoRequest: demoRequest,
    MemoryChange: memoryChange,
    GatewayRequest: gatewayRequest,
    NewAgent: provisioning,
    NewAgentWithChannels: usersChannelProvisioning,
    NewKey: newKey,
    NewScheduledTask: newTask,
    NewSwarm: newSwarm,
    ProfileChange: preferences,
    ScheduledTaskChange: taskChange,
    SkillOfAgent: skillOfAgent,
    SkillUse: skillUse,
    SwarmRun: swarmRun,
    X402Action: upstreamRequest,
  },
  answers: {
    ...health,
    ...agent,
    Agent: webAgentAnswers.list.shape.agents.element,
    AgentDetail: webAgentAnswers.detail.shape.agent,
    NewAgentView: webAgentAnswers.provisioned.shape.agent,
    AgentConfig: configAnswers.shown.shape.config,
    AgentActionAnswer: actionAnswer,
    AgentAnswer: agentAnswer,
    AgentStats: agentStats.shape.stats,
    AgentWithChannels: channelAnswer,
    Billing: billingAnswer,
    BillingActionAnswer: billingActionAnswer,
    ChatAnswer: chatAnswer,
    Clone: cloneMade,
    CloneService: cloneService,
    Cost: costAnswer,
    CreatedKey: createdKey,
    CreditLedger: ledgerAnswer,
    Credits: creditsAnswer,
    DemoAnswer: demoAnswer,
    DemoModel: demoModel,
    EndpointDescription: endpointDescription,
    FarcasterSession: farcasterSession,
    GatewayAgentAnswer: paidAgentAnswer,
    GatewayTextAnswer: textAnswer,
    Heartbeat: heartbeatShown.shape.heartbeat,
    InstalledSkill: skillAnswers.installed,
    Instance: instanceDetails,
    InstanceImage: instanceAnswers.updated,
    InstanceRestart: instanceAnswers.restarted,
    InstanceState: instanceAnswers.changed,
    InstanceStats: instanceStats,
    Key: shownKey,
    KeyHolder: keyHolderAccount,
    Memory: memoryAnswer,
    Message: chatMessage,
    Metrics: overviewAnswer.shape.metrics,
    Model: offeredModel,
    NewUser: registered,
    Plan: billingAnswer.shape.plans.element,
    Profile: profile,
    ScheduledTask: taskView,
    SessionDetail: sessionDetail,
    SessionList: sessionList,
    SessionUser: sessionUser,
    SignedIn: signedIn,
    SignedInUser: signedIn.shape.user,
    Skill: skillAnswers.list.shape.skills.element,
    Swarm: swarmView,
    SwarmResults: swarmResults,
    Ticket: ticketAnswer,
    TokenGate: gateAnswer,
    TokenUsage: tokenUsage,
    VerificationMade: verificationMade,
    WalletSignedIn: walletSignedIn,
    WalletUser: walletSignedIn.shape.user,
    AuditEntry: auditLine,
    X402Answer: upstreamAnswer,
    X402Health: upstreamHealth,
  },
}

const backend: Models = {
  requests: {
    AgentChange: agentUpdate,
    AgentConfigChange: agentConfig,
    Deployment: deployment,
    NewAgent: newAgent,
    NewAgentWithChannels: channelProvisioning,
  },
  answers: {
    ...health,
    ...agent,
    BackendHealth,
    Agent: agentAnswers.listItem,
    AgentDetail: agentAnswers.detail,
    AgentImage: agentAnswers.updatedImage,
    AgentRestart: agentAnswers.restarted,
    AgentState: agentAnswers.started,
    AgentToken: agentAnswers.token,
    AgentWithChannels: channelAnswer,
    ChangedAgent: agentAnswers.updated,
    ChatAnswer: aiAnswer,
    ChatCompletion: chatCompletion,
    ChatCompletionChunk: chatEvents.message,
    CreatedAgent: agentAnswers.created,
    DeletedAgent: agentAnswers.deleted,
    DeployedAgent: agentAnswers.deployed,
    Instance: runtimeInstances.shape.instances.element,
    InstanceStats: runtimeStats,
    KeyHolder: keyHolder,
    LogEvent: logEvent,
    LogHistory: logHistory,
    LogStream: activeStreams.shape.streams.element,
    MetricsHistory: historyAnswer,
    MetricsSummary: summaryAnswer,
    Model: modelDescription,
    ModelList: modelList,
    Performance: performanceAnswer,
    RuntimeVersion: runtimeVersionAnswer,
    SelectedModel: selectedModel,
    UsageItem: usageAnswers.summary.shape.data.element,
    UsageOfAgent: usageAnswers.byAgent.shape.data.element,
    UsageOfDay: usageAnswers.daily.shape.data.element,
    UsageOfModel: usageAnswers.byModel.shape.data.element,
    UsageOfTool: usageAnswers.tools.shape.data.element,
  },
}

/** The names of each surface's schemas; no function imports them, only what writes the documents. */
export const models: Record<Surface, Models> = {
  web,
  backend,
  summarizer: { requests: {}, answers: { Readiness } },
}
