import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { diskGbOf } from './disk.ts'
import { fileRows } from './rows.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

it.each([
  [0, undefined],
  [6, undefined],
  [7, 31],
  [50, 95],
  [150, 200],
])('an agent with %i GiB of files needs a disk of %s GiB', async (files, disk) => {
  const key = { userId: 'usr_1', agentId: `agt_${files}` }
  const row = { ...key, version: 1, bytes: files * 1024 ** 3, files: 1 }
  await database.table.put(fileRows.put(key, row))
  const agent = { id: key.agentId, userId: key.userId } as Agent
  expect(await diskGbOf(database, agent)).toBe(disk)
})
