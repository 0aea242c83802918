import { afterAll, beforeAll, beforeEach } from 'vitest'
import { routes } from '#functions/web/workspace.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { changeAgent } from '#shared/agents/record/change.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { gatewayToken } from '#shared/agents/record/secrets.ts'
import { writeNotes } from '#shared/agents/workspace/memory/write.ts'
import { syncWorkspace } from '#shared/agents/workspace/sync.ts'
import { newId } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { GatewayProcess, Home } from '../../../agent/gateway/testing/gateway.ts'
import { Upstream } from '../../../agent/gateway/testing/upstream.ts'
import { startAccounts } from '../accounts/accounts.ts'
import { putAgent } from '../agents/agent-rows.ts'
import { unhurried } from '../clock/time.ts'
import type { UserCall } from '../http/caller.ts'
import { compileCache } from '../platform/compile-cache.ts'
import { chatCaller, encryptionKey } from './chat.ts'

/** Starts the web's workspace and chat routes, and the real agents behind them, each with a gateway of its own. */
export async function startWorkspaces() {
  unhurried()
  const accounts = await startAccounts()
  const { table } = accounts
  /** The model provider behind every agent, in place of the platform's AI gateway. */
  const models = await Upstream.start()
  const running = new Map<string, { home: Home; gateway: GatewayProcess }>()
  const ask = chatCaller(table, {}, routes)
  let users = 0

  const workspaces = {
    accounts,
    table,
    models,
    ctx: { table, encryptionKey, log: createLog() },

    newUser: () => accounts.signUp(`user${++users}@b.co`),

    /** Gives a user a plan, as a subscription does. */
    async subscribe({ id }: { id: string }, plan: string): Promise<void> {
      await table.update({ pk: userPartition(id), sk: 'profile' }, { set: { plan } })
    },

    ask,

    async call(method: string, path: string, given: UserCall = {}) {
      const answer = await ask(method, path, given)
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    },

    /** Creates an agent without a container. */
    stoppedAgent: (userId: string) => putAgent(table, userId, { status: 'stopped' }),

    /** Creates an agent whose container has just started, without a check so far. */
    async newAgent(userId: string, fields: Partial<Agent> = {}): Promise<Agent> {
      const id = newId('agt')
      return putAgent(table, userId, { id, address: await startContainer(id), ...fields })
    },

    /** Moves an agent to a new container, with an empty disk unless `keepDisk`. */
    async restart(agent: Agent, { keepDisk = false } = {}): Promise<Agent> {
      const old = running.get(agent.id)
      await old?.gateway[Symbol.asyncDispose]()
      const address = await startContainer(agent.id, keepDisk ? old?.home : undefined)
      const restarted = await changeAgent(
        { table },
        {
          agent: await workspaces.row(agent),
          decide: (current) => ({
            ...current,
            status: 'running',
            generation: current.generation + 1,
            address,
          }),
        },
      )
      if (restarted === undefined) throw new Error('the agent is gone')
      return restarted
    },

    /** Ends an agent's container, as a crash that is not detected yet. */
    async crash(agent: Agent): Promise<void> {
      await gatewayOf(agent).kill('SIGKILL')
    },

    /** Sends a request to the agent's own gateway. */
    inside: (agent: Agent, path: string, init?: RequestInit) =>
      gatewayOf(agent).json(path, init) as Promise<Record<string, unknown>>,

    /** Writes notes as a request that is killed before it has reached the container. */
    write: async (agent: Agent, notes: Record<string, string | null>): Promise<Agent> =>
      writeNotes({ table }, { agent: await workspaces.row(agent), notes }),

    /** Syncs the agent's workspace as a check of the agent does. */
    async sync(agent: Agent): Promise<Agent> {
      await syncWorkspace(workspaces.ctx, { agent: await workspaces.row(agent) })
      return workspaces.row(agent)
    },

    /** Returns the notes in the agent's container. */
    memoryOf: async (agent: Agent): Promise<unknown> =>
      (await workspaces.inside(agent, '/memory')).memory,

    /** Returns the notes that the agent's owner sees. */
    async shownMemory(agent: Agent, { session }: { session: string }): Promise<unknown> {
      const path = `/api/memory?agentId=${agent.id}`
      return (await workspaces.call('GET', path, { session })).body.memory
    },

    async row(agent: Agent): Promise<Agent> {
      const row = await readAgent(table, { userId: agent.userId, agentId: agent.id })
      if (row === undefined) throw new Error('the agent is gone')
      return row
    },

    async close(): Promise<void> {
      for (const { home, gateway } of running.values()) {
        await gateway[Symbol.asyncDispose]()
        await home[Symbol.asyncDispose]()
      }
      await models[Symbol.asyncDispose]()
      await accounts.close()
    },
  }

  async function startContainer(id: string, kept?: Home) {
    const home = kept ?? (await Home.make())
    const token = await gatewayToken(encryptionKey, id, 1)
    const gateway = await GatewayProcess.start(
      home.environment(models.baseUrl, { GATEWAY_TOKEN: token, AGENT_ID: id, ...compileCache }),
    )
    gateway.bearer = token
    if (kept === undefined) await running.get(id)?.home[Symbol.asyncDispose]()
    running.set(id, { home, gateway })
    return { host: '127.0.0.1', port: Number(new URL(gateway.url).port) }
  }

  function gatewayOf({ id }: Agent): GatewayProcess {
    const found = running.get(id)
    if (found === undefined) throw new Error('the agent has no container')
    return found.gateway
  }

  return workspaces
}

export type Workspaces = Awaited<ReturnType<typeof startWorkspaces>>

type User = Awaited<ReturnType<Workspaces['newUser']>>

interface UseOptions {
  /** `file`: one user and agent for the whole file. Default: new ones for each test. */
  per?: 'file' | 'test'
  /** Default: a running agent. */
  newAgent?: (workspaces: Workspaces, owner: User) => Promise<Agent>
}

/** Provides workspaces for a file of tests, with a user, the user's agent, and another user. */
export function useWorkspaces({ per = 'test', newAgent = runs }: UseOptions = {}) {
  let workspaces: Workspaces
  let ada: User
  let eve: User
  let agent: Agent
  beforeAll(async () => {
    workspaces = await startWorkspaces()
    eve = await workspaces.newUser()
  })
  ;(per === 'file' ? beforeAll : beforeEach)(async () => {
    ada = await workspaces.newUser()
    agent = await newAgent(workspaces, ada)
  })
  afterAll(() => workspaces.close())
  return {
    get workspaces() {
      return workspaces
    },
    get ada() {
      return ada
    },
    get eve() {
      return eve
    },
    get agent() {
      return agent
    },
  }
}

const runs = (workspaces: Workspaces, { id }: User) => workspaces.newAgent(id)
