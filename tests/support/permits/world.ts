import { newUser, profileKey } from '#shared/accounts/users/user.ts'
import { agentKey } from '#shared/agents/record/agent.ts'
import { decideApproval } from '#shared/permits/approvals/decide.ts'
import { showApproval } from '#shared/permits/approvals/find.ts'
import { approvalMailWork } from '#shared/permits/approvals/mails/items.ts'
import { park } from '#shared/permits/approvals/park.ts'
import { approvalRows } from '#shared/permits/approvals/rows.ts'
import type { ApprovalDecision, ApprovalView } from '#shared/permits/approvals/schema.ts'
import {
  approvals,
  type ApprovalTurn,
  approvalTurns,
  type ApprovalWork,
} from '#shared/permits/approvals/topic.ts'
import { approvalTurnWork } from '#shared/permits/approvals/turns/items.ts'
import { tellAgent } from '#shared/permits/approvals/turns/tell.ts'
import { attemptApproval } from '#shared/permits/approvals/work/attempt.ts'
import type { Executors } from '#shared/permits/approvals/work/carry-out.ts'
import type { Execution, Outcome } from '#shared/permits/approvals/work/executor.ts'
import { approvalWork } from '#shared/permits/approvals/work/items.ts'
import type { Effect } from '#shared/permits/policy/effect.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { newId } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { LeaseLost } from '#shared/platform/work/lease-lost.ts'
import { putAgent } from '../agents/agent-rows.ts'
import { userContext } from '../platform/context.ts'
import { Killed, killedProcess } from '../platform/killed-process.ts'

/** The behaviour of the executor of an effect. */
type By = 'send' | 'write' | 'refuse' | 'unknown'

const actions: Record<By, Effect> = {
  send: {
    action: 'broker.request',
    target: { name: 'crm', method: 'POST', host: 'api.example.com', path: '/contacts' },
  },
  write: { action: 'schedule.write', target: { action: 'create' } },
  refuse: { action: 'message.send', target: { to: 'agt_1', action: 'hello' } },
  unknown: { action: 'exec', target: { command: 'ls' } },
}

interface Received {
  topic: 'approvals' | 'approval-turns'
  body: unknown
}

/**
 * Starts a user with an agent whose approvals are carried out by executors of the test, on a clock of its own. Messages
 * arrive twice and in random order.
 */
export async function startPermits(table: Table) {
  const userId = newId('usr')
  const email = `${userId}@b.co`
  const profile = newUser({ id: userId, email, name: 'Ada', referralCode: userId })
  const store = userStore(table, userId)
  await store.put(profileKey, { ...profile })
  const ctx = await userContext(table, userId)
  const agent = await putAgent(table, userId)
  const clock = { now: Date.now() }
  const waiting: Received[] = []
  /** All messages, in the order that they were sent. */
  const sent: Received[] = []
  /** The messages that reached the agent. */
  const messages: string[] = []
  const mails: Mail[] = []
  const pending: string[] = []
  let parked = 0

  const record = (topic: { queue: string }, bodies: readonly unknown[]) => {
    for (const body of bodies)
      if (topic.queue === approvals.queue || topic.queue === approvalTurns.queue) {
        const received = { topic: topic.queue, body }
        waiting.push(received)
        sent.push(received)
      }
  }
  const queues: Queues = {
    send: async (topic, body) => record(topic, [body]),
    sendAll: async (topic, bodies) => record(topic, bodies),
  }
  const effectKey = (id: string) => ({ pk: `user#${userId}`, sk: `effect#${id}` })

  /** Counts the effects. A call of another host is not fenced by the table's conditions. */
  function executorsOver(on: Table): Executors {
    const send = async ({ approval, sending }: Execution): Promise<Outcome> => {
      await sending()
      await on.update(effectKey(approval.id), { add: { count: 1 } })
      return { state: 'done', result: { status: 201, body: 'done' } }
    }
    const write = async ({ approval, ending }: Execution): Promise<Outcome> => {
      const refusals = await tryCommit(on, {
        effect: { update: effectKey(approval.id), add: { count: 1 } },
        ...ending({ status: 201, body: 'done' }),
      })
      if (refusals !== undefined) throw new LeaseLost(approval.id)
      return 'ended'
    }
    const refuse = async (): Promise<Outcome> => {
      throw new PlatformError('not-found', 'The credential was deleted')
    }
    return { 'broker.request': send, 'schedule.write': write, 'message.send': refuse }
  }

  async function handle({ topic, body }: Received, on: Table, sender: Queues): Promise<void> {
    const log = createLog({ function: 'test' })
    const services = { table: on, queues: sender, log }
    if (topic === 'approvals') {
      const mailer = { send: async (mail: Mail) => void mails.push(mail) }
      const own = { webUrl: 'http://localhost:3000', mailer, executors: executorsOver(on) }
      return attemptApproval({ ...services, ...own }, body as ApprovalWork, clock.now)
    }
    const config = { ADMIN_EMAILS: [], KILL_SWITCH: false, deployed: false }
    const asks = {
      ask: async ({ message }: { message: string }) => {
        // The agent has the message, even if the process is killed next.
        messages.push(message)
        await on.get(agentKey({ userId, agentId: agent.id }))
      },
      turnState: async () => 'failed' as const,
    }
    return tellAgent({ ...services, ...asks, config }, body as ApprovalTurn, clock.now)
  }

  async function tick(): Promise<number> {
    const counts = []
    for (const work of [approvalWork, approvalMailWork, approvalTurnWork])
      counts.push(await work.tick({ table: only(table, userId), queues }, clock.now))
    return counts.reduce((sum, count) => sum + count, 0)
  }

  return {
    userId,
    agent,
    clock,
    mails,
    pending,
    ctx,

    async park({ by, effect = actions[by] }: { by: By; effect?: Effect }): Promise<string> {
      const { approvalId } = await park(
        { table, queues },
        {
          agent,
          effect,
          session: 'default',
          summary: `Request ${parked}`,
          request: { json: { number: parked++ } },
        },
      )
      pending.push(approvalId)
      return approvalId
    },

    decide: (id: string, decision: ApprovalDecision): Promise<ApprovalView> =>
      decideApproval({ ...ctx, queues }, { id, ...decision }),

    view: (id: string): Promise<ApprovalView> => showApproval(ctx, { id }),

    set: (approvalId: string, set: Record<string, unknown>) =>
      table.update(approvalRows.key({ userId, approvalId }), { set }),

    /** Returns how often the effect of an approval was carried out. */
    async effects(id: string): Promise<number> {
      return Number((await table.get(effectKey(id)))?.['count'] ?? 0)
    },

    /** Returns the messages that told the agent the outcome of an approval. */
    told: (id: string): string[] => messages.filter((message) => message.includes(id)),

    loseMessages: () => void waiting.splice(0),

    /** Delivers a message of the approvals' job. */
    deliver: (body: ApprovalWork) => handle({ topic: 'approvals', body }, table, queues),

    /** Delivers all messages of the past again, the newest first. */
    async deliverAgain(): Promise<void> {
      for (const received of sent.toReversed()) await handle(received, table, queues)
    },

    deleteAgent: () => table.delete(agentKey({ userId, agentId: agent.id })),

    /**
     * Delivers the messages, twice and in random order, until none is left.
     * @param death kills the process that handles them
     * @returns whether the process was killed
     */
    async run(death?: Parameters<typeof killedProcess>[0]): Promise<boolean> {
      await tick()
      const process = death && killedProcess(death)
      const on = process?.reach(table) ?? table
      const sender = process?.reach(queues) ?? queues
      try {
        while (waiting.length > 0) {
          const [received] = waiting.splice(Math.floor(Math.random() * waiting.length), 1)
          if (received === undefined) break
          if (Math.random() < 0.5) waiting.push(received)
          await handle(received, on, sender)
        }
      } catch (error) {
        if (!(error instanceof Killed)) throw error
        // Messages that were received with the last one are lost.
        waiting.splice(0)
        return true
      }
      return false
    },

    /** Lets time pass, until no work is left but the expiry of pending approvals. */
    async runUntilIdle(): Promise<void> {
      for (let round = 0; round < 20; round++) {
        await this.run()
        if (await this.isIdle()) return
        clock.now += 400_000
      }
      throw new Error('work is left')
    },

    async isIdle(): Promise<boolean> {
      if (waiting.length > 0) return false
      const { items } = await store.query({ beginsWith: 'approval' })
      const open = items.filter(({ gsi1pk }) => gsi1pk !== undefined)
      return open.every(
        ({ state, until }) => state === 'pending' && String(until) > isoOf(clock.now),
      )
    },
  }
}

/** The table, whose index contains only the work of one user. */
function only(table: Table, userId: string): Pick<Table, 'query' | 'update'> {
  return {
    update: (...given) => table.update(...given),
    async query(query) {
      const page = await table.query(query)
      return { ...page, items: page.items.filter(({ pk }) => pk === `user#${userId}`) }
    },
  }
}
