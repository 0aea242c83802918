import type { AgentState } from '../ui/parts.tsx'

/** What the platform answers, as far as the console shows it. */
export interface AgentItem {
  id: string
  name: string
  model: string
  status: AgentState
  createdAt: string
  updatedAt: string
}

export interface AgentDetail extends AgentItem {
  plan: string
  subdomain: string
  url: string
  runtimeVersion: string | null
  startedAt: string | null
  stopReason: { code: string; exitCode: number | null; text: string; at: string } | null
  watchdog: {
    state: string
    attempts: number
    incidents: {
      at: string
      cause: string
      step: string
      attempt: number
      resolvedAt: string | null
    }[]
  }
}

export interface Message {
  id: string
  sender: 'user' | 'agent'
  content: string
  timestamp: string
}

export interface PlanItem {
  name: 'label' | 'solo' | 'collective' | 'network'
  price: number
  currency: string
  limits: { agents: number; skills: number; monthlyTokens: number | null }
  models: string[] | null
  container: { cpu: number; memoryGb: number }
}

export interface BillingState {
  plans: PlanItem[]
  currentPlan: string
  subscriptionStatus: 'inactive' | 'trialing' | 'active' | 'past_due' | 'canceled'
  trial: { endsAt: string } | null
  usage: { used: number; quota: number | null; remaining: number | null; resetsAt: string }
}

/** Whether paid features are open: contract.md 4. */
export function isOpen({ subscriptionStatus }: BillingState): boolean {
  return subscriptionStatus === 'active' || subscriptionStatus === 'trialing'
}
