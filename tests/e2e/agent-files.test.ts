import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { embeddedImages } from '#stacks/local/agent-runtime.ts'
import { tableName } from '#stacks/local/engines.ts'
import { eventually } from '../support/clock/eventually.ts'
import type { TestUser } from '../support/http/client.ts'
import { useLocalCredentials } from '../support/platform/credentials.ts'
import { killProcessesOf, processesOf } from '../support/stack/processes.ts'
import { sleepOf } from '../support/stack/sleep.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'
import { callTool, startToolModel } from '../support/stack/tool-model.ts'

const model = await startToolModel()

let stack: OwnStack
let owner: TestUser
let agentId: string

const { fallAsleep } = sleepOf(
  () => stack.now(),
  () => {
    useLocalCredentials()
    return dynamoTable({ tableName, endpoint: stack.now().endpoints.dynamodb })
  },
)

beforeAll(async () => {
  stack = await startOwnStack({
    AI_BASE_URL: model.baseUrl,
    AI_API_KEY: 'key-of-the-model',
    WATCHDOG_REPAIR_STOP_WAIT: '1',
    WATCHDOG_REPAIR_START_WAIT: '10',
  })
  owner = await stack.newSubscriber()
  agentId = await stack.runningAgent(owner)
  const { config } = stack.platformOf(owner).agents
  await config.update(agentId, { config: { sleepAfterMinutes: 5 } }, { apply: 'false' })
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

const tool = (name: string, given: object) =>
  callTool({ stack, owner, agentId, model }, name, given)

const list = 'lists/to buy.md'
let content = '- milk\n'

/** Lets the model add a line to its list. */
async function add(line: string): Promise<void> {
  content += `- ${line}\n`
  expect(await tool('write_file', { path: list, content })).toMatchObject({ written: true })
}

const readByModel = () => tool('read_file', { path: list })

async function readByApi(path = list): Promise<string> {
  return (await stack.platformOf(owner).agents.files.get(agentId, path)).text()
}

/** The generation of the agent's process. */
const generation = () => processesOf(stack.dataDir, agentId)[0]?.generation ?? 0

/** Waits until a later process of the agent runs, and checks that its model and the API read the list. */
async function expectKept(before: number): Promise<void> {
  await eventually(() => expect(generation()).toBeGreaterThan(before), 60_000)
  await stack.untilStatus(owner, agentId, 'running')
  expect(await readByModel()).toMatchObject({ text: content })
  expect(await readByApi()).toBe(content)
}

it('the API reads at once what the model wrote', async () => {
  await add('tea')
  expect(await readByApi()).toBe(content)
  const { entries } = await stack.platformOf(owner).agents.files.list(agentId, { path: 'lists' })
  expect(entries).toMatchObject([{ name: 'to buy.md', type: 'file', size: content.length }])
})

it('the model reads in the next turn what the API wrote', async () => {
  const { files } = stack.platformOf(owner).agents
  await files.put(agentId, 'from/owner.md', new TextEncoder().encode('For you.'))
  expect(await tool('read_file', { path: 'from/owner.md' })).toEqual({ size: 8, text: 'For you.' })
  await files.put(agentId, 'from/owner.md', new TextEncoder().encode('Changed.'))
  expect(await tool('search_files', { query: 'changed' })).toMatchObject({
    matches: [{ path: 'from/owner.md', line: 1 }],
  })
  await files.delete(agentId, 'from', { recursive: true })
  expect(await tool('list_files', {})).toMatchObject({ entries: [{ name: 'lists' }] })
})

it('the list is kept while the agent sleeps, and the API changes files for its next turn', async () => {
  await add('bread')
  const before = generation()
  await fallAsleep(owner, agentId)
  expect(await readByApi()).toBe(content)
  const { files } = stack.platformOf(owner).agents
  await files.put(agentId, 'while-asleep.md', new TextEncoder().encode('Good morning.'))
  // The turn wakes the agent.
  expect(await tool('read_file', { path: 'while-asleep.md' })).toMatchObject({
    text: 'Good morning.',
  })
  await expectKept(before)
})

it('the list is kept over a stop and a start', async () => {
  await add('jam')
  const before = generation()
  await stack.lifecycle(owner, agentId, 'stop')
  await stack.untilStatus(owner, agentId, 'stopped')
  await eventually(() => expect(processesOf(stack.dataDir, agentId)).toEqual([]))
  expect(await readByApi()).toBe(content)
  await stack.lifecycle(owner, agentId, 'start')
  await expectKept(before)
})

it('the list is kept if the agent starts on another host, whose disk is empty', async () => {
  await add('eggs')
  const before = generation()
  await stack.lifecycle(owner, agentId, 'stop')
  await stack.untilStatus(owner, agentId, 'stopped')
  await eventually(() => expect(processesOf(stack.dataDir, agentId)).toEqual([]))
  await rm(join(stack.dataDir, 'containers/volumes', agentId), { recursive: true })
  await stack.lifecycle(owner, agentId, 'start')
  await expectKept(before)
})

it('the list is kept if the agent’s process is killed right after a write', async () => {
  await add('salt')
  const before = generation()
  await killProcessesOf(stack.dataDir, agentId)
  await expectKept(before)
})

it('the list is kept over an update', async () => {
  await add('rice')
  const before = generation()
  const [, image = ''] = embeddedImages
  await stack.platformOf(owner).agents.updateImage(agentId, { image })
  await expectKept(before)
})

it('the list is kept if the whole machine ends at once', async () => {
  await add('figs')
  const before = generation()
  await stack.now().kill()
  await stack.startAgain()
  await expectKept(before)
})
