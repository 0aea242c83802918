import { afterAll, beforeAll, expect, it } from 'vitest'
import { newUser, profileKey } from '#shared/accounts/users/user.ts'
import { changeUsersConfig } from '#shared/agents/fleet/config/by-user.ts'
import { addOwnKey } from '#shared/billing/overview/own-keys.ts'
import { createTask } from '#shared/conversations/scheduled-tasks/create.ts'
import { runRows } from '#shared/conversations/scheduled-tasks/rows.ts'
import { runNow } from '#shared/conversations/scheduled-tasks/runs/run-now.ts'
import { createSwarm } from '#shared/conversations/swarms/create.ts'
import { listSwarms } from '#shared/conversations/swarms/list.ts'
import { createCustodyWallet } from '#shared/network/custody/create.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { sealer } from '#shared/platform/seal.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { setTelemetry } from '#shared/tools/telemetry/settings.ts'
import { auditOf } from '../support/accounts/audit.ts'
import { putAgent } from '../support/agents/agent-rows.ts'
import { lostQueues, userContext } from '../support/platform/context.ts'
import { startTestTable, type TestTable } from '../support/platform/table.ts'

const encryptionKey = 'an encryption key'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

async function newAccount(): Promise<string> {
  const id = newId('usr')
  const names = { email: `${id}@b.co`, name: id, referralCode: id }
  await userStore(database.table, id).put(profileKey, { ...newUser({ id, ...names }) })
  return id
}

/** Creates an owner with an agent, and the context of another user who asks for the owner's rows. */
async function scene() {
  const { table } = database
  const [owner, member] = [await newAccount(), await newAccount()]
  const { id: agentId } = await putAgent(table, owner)
  const ctx: UserContext = { ...(await userContext(table, member)), owner }
  const rowsOfMember = async () => (await userStore(table, member).query({})).items
  return { owner, member, agentId, ctx, rowsOfMember }
}

type Scene = Awaited<ReturnType<typeof scene>>

it.each<[string, (given: Scene) => Promise<unknown>]>([
  [
    'wallet.created',
    ({ ctx, agentId }) => {
      const custodian = { accountOf: async () => `0x${'a'.repeat(40)}` as const }
      return createCustodyWallet({ ...ctx, custodian }, { agentId })
    },
  ],
  [
    'provider.linked',
    ({ ctx }) => {
      const collector = { otlpUrl: 'http://127.0.0.1:4318', headers: {}, content: false }
      return setTelemetry(
        { ...ctx, guard: { deployed: false }, sealer: sealer(encryptionKey) },
        collector,
      )
    },
  ],
  [
    'byok.enabled',
    ({ ctx }) => {
      const services = { ...ctx, encryptionKey, byokProviders: ['openai'] }
      return addOwnKey(services as never, {
        provider: 'openai',
        apiKey: 'sk-own',
      })
    },
  ],
])('%s changes the rows of the owner, and its entry names the actor', async (action, act) => {
  const input = await scene()
  const before = await input.rowsOfMember()
  await act(input)
  expect(await auditOf(database.table, input.owner)).toMatchObject([
    { action, actor: `user:${input.member}` },
  ])
  expect(await input.rowsOfMember()).toEqual(before)
})

it('a run of a task belongs to the owner, and names the actor', async () => {
  const { ctx, owner, member, agentId, rowsOfMember } = await scene()
  const before = await rowsOfMember()
  const times = { cronSchedule: '0 7 * * *', timezone: 'UTC', enabled: false }
  const task = await createTask(ctx, {
    name: 'A',
    description: null,
    prompt: 'P',
    agentId,
    ...times,
  })
  await runNow({ ...ctx, queues: lostQueues }, { taskId: task.id })
  const { items } = await userStore(ctx.table, owner).query({
    beginsWith: runRows.prefix({ taskId: task.id }),
  })
  expect(items).toMatchObject([{ userId: owner, by: `user:${member}` }])
  expect(await rowsOfMember()).toEqual(before)
})

it('a change of an agent of the owner is recorded as an act of the actor, who is not an operator', async () => {
  const { ctx, owner, member, agentId } = await scene()
  const services = { ...ctx, queues: lostQueues, config: loadConfig({}) }
  await changeUsersConfig(services, { agentId, change: { systemPrompt: 'Hi' }, apply: false })
  const { items } = await userStore(ctx.table, owner).query({
    beginsWith: `agent-event#${agentId}#`,
  })
  expect(items).toMatchObject([{ kind: 'configured', by: `user:${member}` }])
})

it('a list contains the rows of the owner only', async () => {
  const { ctx, member, agentId } = await scene()
  const swarm = await createSwarm(ctx, { name: 'Pair', description: null, agents: [agentId] })
  expect(await listSwarms(ctx)).toEqual([swarm])
  expect(await listSwarms(await userContext(ctx.table, member))).toEqual([])
})
