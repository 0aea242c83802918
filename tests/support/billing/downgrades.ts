import { onTestFinished, vi } from 'vitest'
import { deleteAgent } from '#shared/agents/fleet/delete.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { applyEntitlements } from '#shared/billing/downgrades/apply.ts'
import type { DowngradeContext } from '#shared/billing/downgrades/context.ts'
import { subscribe } from '#shared/billing/payments/subscribe.ts'
import type { PlanName } from '#shared/money/plans/plans.ts'
import type { SubscriptionStatus } from '#shared/money/plans/subscriptions.ts'
import { newId } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { startWebAgents } from '../agents/web-agents.ts'
import { lostQueues, trusted } from '../platform/context.ts'

/** Starts the agents' routes of the web surface over a fleet, and runs the entitlements job. */
export async function startDowngrades() {
  const web = await startWebAgents()
  const { fleet } = web
  /** Mails by id: the mails job sends each once. */
  const mails = new Map<string, Mail>()

  const context = (table: Table): DowngradeContext => ({
    table,
    queues: fleet.services.queues,
    log: createLog({ function: 'test' }),
    mailer: { send: async (mail) => void mails.set(mail.once ?? newId('msg'), mail) },
    adminEmails: ['admin@b.co'],
    deployed: fleet.services.config.deployed,
    webUrl: 'http://localhost:3000',
  })

  return {
    ...web,

    /** Starts or ends a user's plan, as a trusted caller does. */
    async plan(userId: string, plan: PlanName, status: SubscriptionStatus = 'active') {
      const subscription = { userId, plan, status, subscriptionId: `sub_${userId}` }
      await subscribe({ ...trusted({ queues: lostQueues }), table: fleet.table }, subscription)
    },

    /** Handles a message as the job does. */
    apply: (userId: string, table: Table = fleet.table) =>
      applyEntitlements(context(table), { userId }),

    /** Returns the subjects of the mails to a user. */
    subjects: (userId: string) =>
      [...mails.values()].filter(({ to }) => to === `${userId}@b.co`).map(({ subject }) => subject),

    /** Returns the newest mail to a user. */
    mailTo: (userId: string) => [...mails.values()].findLast(({ to }) => to === `${userId}@b.co`),

    /** Creates agents of a user, oldest first. Their desired status is running, but none has started. */
    async agents(user: string, count: number): Promise<Agent[]> {
      const made: Agent[] = []
      while (made.length < count) made.push(await web.provisioned(user))
      return made
    },

    /** Returns an agent as the web surface shows it. */
    async shown({ id, userId }: Agent) {
      const { body } = await web.call('GET', `/api/agents/${id}`, { user: String(userId) })
      return body.agent as { status: string; stopReason: { code: string; text: string } | null }
    },

    tell: ({ id, userId }: Agent, verb: string) =>
      web.call('POST', `/api/instance/${id}/${verb}`, { user: String(userId) }),

    remove: ({ id, userId }: Agent) =>
      deleteAgent(trusted(fleet.services), { agentId: id, owner: userId ?? undefined }),

    /** Returns one character per agent: `1` if its desired status is running, `0` if not, `-` if it was deleted. */
    async run(agents: readonly Agent[]): Promise<string> {
      const rows = await Promise.all(agents.map((agent) => fleet.row(agent).catch(() => undefined)))
      return rows
        .map((row) => (row === undefined || row.deleting ? '-' : row.desired === 'running' ? 1 : 0))
        .join('')
    },
  }
}

export type Downgrades = Awaited<ReturnType<typeof startDowngrades>>

/** Lets the clock move by days until the test ends. */
export function daysGoBy() {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  onTestFinished(() => void vi.useRealTimers())
  return (days: number) => void vi.setSystemTime(Date.now() + days * 86_400_000)
}
