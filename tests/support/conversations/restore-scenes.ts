import { toAgent } from '#shared/agents/record/agent.ts'
import { agentRows } from '#shared/agents/record/rows.ts'
import { writeNotes } from '#shared/agents/workspace/memory/write.ts'
import { rowsOf } from '#shared/agents/workspace/pages.ts'
import { noteRows, textOf } from '#shared/agents/workspace/rows.ts'
import { catalogue } from '#shared/agents/workspace/skills/catalogue.ts'
import { installSkillFor } from '#shared/agents/workspace/skills/install.ts'
import { listInstalled } from '#shared/agents/workspace/skills/installed.ts'
import { uninstallSkill } from '#shared/agents/workspace/skills/uninstall.ts'
import { storeMessage } from '#shared/conversations/chat/message.ts'
import { messageRows } from '#shared/conversations/chat/rows.ts'
import { createTask } from '#shared/conversations/scheduled-tasks/create.ts'
import { everyTask } from '#shared/conversations/scheduled-tasks/task.ts'
import { getPolicy } from '#shared/permits/policy/get.ts'
import type { Policy } from '#shared/permits/policy/policy.ts'
import { newSeed } from '#shared/platform/ids.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { AgentConfigChange } from '../../../clients/typescript/index.ts'
import { platformOver } from '../http/platform-over.ts'
import { setPolicyOf } from '../permits/policy.ts'
import { killedProcess, writes } from '../platform/killed-process.ts'
import type { startRestorePoints } from './restore-points.ts'

type World = Awaited<ReturnType<typeof startRestorePoints>>

interface Point {
  id: string
  name: string | null
  createdAt: string
  bytes: number
}

/** Returns the steps that tests of restore points share. */
export function restoreScenes(world: World, user: () => { id: string; session: string }) {
  const call = async (method: string, path: string, body?: object, session = user().session) => {
    const options = { session, ...(body !== undefined && { body }) }
    const answer = await world.call(method, path, options)
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  const newAgent = async (config: AgentConfigChange = {}) => {
    const { agents } = platformOver(world.call, { session: user().session })
    const { id } = await agents.create({ name: 'Bo', config })
    world.fleet.forget()
    return id
  }

  const agentOf = async (id: string, userId = user().id) =>
    toAgent((await world.table.get(agentRows.key({ userId, agentId: id }))) as never)

  const say = (agentId: string, content: string, at?: number) =>
    storeMessage(userStore(world.table, user().id), {
      message: { agentId, content, sender: 'user', platform: 'web' },
      seed: newSeed(at),
    })

  const [skill, otherSkill] = catalogue.map(({ id }) => id) as [string, string]
  const installer = () => ({ id: user().id, plan: 'solo', isAdmin: false })
  const task = (agentId: string, prompt: string) => ({
    agentId,
    prompt,
    name: 'Check',
    cronSchedule: '0 7 * * *',
    timezone: 'UTC',
    enabled: true,
    description: null,
  })

  const setPolicy = (agentId: string, policy: Policy) =>
    setPolicyOf(world.table, { userId: user().id, agentId }, policy)

  /** Returns all state of an agent that a restore point contains. */
  async function stateOf(agentId: string) {
    const store = userStore(world.table, user().id)
    const agent = await agentOf(agentId)
    const notes: Record<string, string> = {}
    for await (const row of rowsOf(store, noteRows.prefix({ agentId }), noteRows.parse)) {
      const text = textOf(agent, row)
      if (text !== undefined) notes[row.key] = text
    }
    const tasks = (await everyTask(store)).filter((one) => one.agentId === agentId)
    const { items } = await store.query({ beginsWith: messageRows.prefix({ agentId }) })
    const page = (await call('GET', `/api/agents/${agentId}/messages`)).body
    return {
      config: agent.config,
      policy: await getPolicy({ table: world.table }, agent),
      model: agent.model,
      notes,
      skills: (await listInstalled({ table: world.table }, { agent })).map(({ id }) => id).sort(),
      tasks: tasks.map(({ id, prompt, enabled }) => [id, prompt, enabled]),
      messages: items.map((item) => messageRows.parse(item).content),
      total: page.total,
      topics: (await call('GET', `/api/chat/topics?agentId=${agentId}`)).body.topics,
    }
  }

  /** Creates an agent with some of each kind of state. */
  async function full() {
    const id = await newAgent({ systemPrompt: 'You are Bo', mood: { tone: 'dry' } })
    const { table } = world
    await writeNotes({ table }, { agent: await agentOf(id), notes: { tea: 'green', sea: 'blue' } })
    await installSkillFor({ table }, { agentId: id, skillId: skill, installer: installer() })
    await createTask({ table, owner: user().id, seed: newSeed() }, task(id, 'Well?'))
    for (const words of ['one', 'two', 'three']) await say(id, words)
    const match = { to: 'agt_*', action: ['A', 'B'] }
    const rule = { action: 'message.send', match, when: { perDay: 3 }, then: 'allow' } as const
    await setPolicy(id, { preset: 'guarded', rules: [rule] })
    return id
  }

  /** Changes all of that state, and adds to it. */
  async function spoil(id: string) {
    const { table } = world
    await call('PUT', `/api/agents/${id}/config?apply=false`, {
      config: { systemPrompt: 'You are Eve', mood: null, extra: 1 },
    })
    const notes = { tea: 'black', sea: null, key: 'new' }
    await writeNotes({ table }, { agent: await agentOf(id), notes })
    await uninstallSkill({ table, owner: user().id }, { agentId: id, skillId: skill })
    await installSkillFor({ table }, { agentId: id, skillId: otherSkill, installer: installer() })
    const [first] = await everyTask(userStore(table, user().id))
    await userStore(table, user().id).update(`task#${first?.id}`, { set: { prompt: 'Spoilt' } })
    await createTask({ table, owner: user().id, seed: newSeed() }, task(id, 'Another'))
    await say(id, 'four')
    await setPolicy(id, { preset: 'locked', rules: [] })
  }

  const snapshot = async (id: string, name?: string) => {
    const { status, body } = await call('POST', `/api/agents/${id}/snapshots`, name ? { name } : {})
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body as unknown as Point
  }
  const points = async (id: string) =>
    (await call('GET', `/api/agents/${id}/snapshots`)).body.snapshots as Point[]
  const restore = (id: string, snapshotId: string, session = user().session) =>
    call('POST', `/api/agents/${id}/restore`, { snapshotId }, session)

  return {
    call,
    newAgent,
    agentOf,
    say,
    setPolicy,
    stateOf,
    full,
    spoil,
    snapshot,
    points,
    restore,
  }
}

/** Wraps a table so that its process is killed after this number of writes. */
export function killedAfter(table: Table, calls: number): { table: Table; wasKilled(): boolean } {
  const { reach, isKilled } = killedProcess({ calls, counts: writes })
  return { table: reach(table), wasKilled: isKilled }
}
