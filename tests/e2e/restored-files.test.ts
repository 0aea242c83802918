import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from '../support/clock/eventually.ts'
import type { TestUser } from '../support/http/client.ts'
import { processesOf } from '../support/stack/processes.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'
import { callTool, startToolModel } from '../support/stack/tool-model.ts'

const model = await startToolModel()

let stack: OwnStack
let owner: TestUser
let agentId: string

beforeAll(async () => {
  stack = await startOwnStack({ AI_BASE_URL: model.baseUrl, AI_API_KEY: 'key-of-the-model' })
  owner = await stack.newSubscriber()
  agentId = await stack.runningAgent(owner)
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

const tool = (name: string, given: object) =>
  callTool({ stack, owner, agentId, model }, name, given)

const write = (path: string, content: string) => tool('write_file', { path, content })
const generation = () => processesOf(stack.dataDir, agentId)[0]?.generation ?? 0
const agents = () => stack.platformOf(owner).agents

/** Creates a restore point of what the model just wrote, lets it change that, and requests the restore. */
async function restoreAfterChanges(text: string): Promise<number> {
  await write('kept.md', text)
  await write('folder/also.md', text)
  const { id: snapshotId } = await agents().snapshots.create(agentId, {})
  await write('kept.md', 'changed')
  await write('new.md', 'new')
  // Reading commits what the model wrote: the restore replaces newer committed files.
  const answer = await agents().files.get(agentId, 'kept.md')
  expect(await answer.text()).toBe('changed')
  const before = generation()
  await agents().restore(agentId, { snapshotId })
  return before
}

/** Waits until the agent has restarted with the restored files. */
async function expectRestored(before: number, text: string): Promise<void> {
  await eventually(async () => {
    const answer = await agents().files.get(agentId, 'kept.md')
    expect(await answer.text()).toBe(text)
  }, 300_000)
  // It was stopped before its files were replaced.
  await agents().waitUntil(agentId, 'running', { timeoutMs: 240_000 })
  expect(generation()).toBeGreaterThan(before)
  expect(await tool('read_file', { path: 'kept.md' })).toMatchObject({ text })
  expect(await tool('read_file', { path: 'folder/also.md' })).toMatchObject({ text })
  const { entries } = await agents().files.list(agentId)
  expect(entries.map(({ name }) => name)).toEqual(['folder', 'kept.md'])
}

it('a running agent continues with the files of the restore point', async () => {
  const before = await restoreAfterChanges('one')
  await expectRestored(before, 'one')
}, 300_000)

it('a restore continues after a kill of the whole machine', async () => {
  const before = await restoreAfterChanges('two')
  await stack.now().kill()
  await stack.startAgain()
  await expectRestored(before, 'two')
}, 600_000)
