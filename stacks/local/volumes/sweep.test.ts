import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestTable } from '#tests/support/platform/table.ts'
import { openEngine } from '../containers/testing/harness.ts'
import { agentsIn, sweepVolumes } from './sweep.ts'

test('an agent’s workspace is deleted with it, after its container has ended, and no other', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'volumes-'))
  const database = await startTestTable()
  const agents = agentsIn(database.endpoint, database.tableName)
  try {
    await using engine = await openEngine(dir)
    expect(await engine.listVolumes()).toEqual([])
    const started = { taskDefinition: 'sleeper' }
    const [kept, gone, other] = ['agt_kept', 'agt_gone', 'someone']
    const tasks = await Promise.all(
      [kept, gone, other].map((startedBy) => engine.run({ ...started, startedBy })),
    )
    await Promise.all(tasks.map((task) => engine.told(task, { lastStatus: 'RUNNING' })))
    await database.table.put({ pk: `agent#${kept}`, sk: 'owner', userId: 'usr_1' })
    const sweep = () => sweepVolumes(engine, agents.exists)

    expect(await sweep()).toEqual([])
    await Promise.all(tasks.map((task) => engine.stop(task)))
    await Promise.all(tasks.map((task) => engine.told(task, { lastStatus: 'STOPPED' })))
    expect(await sweep()).toEqual([gone])
    const volume = (name: string) => existsSync(join(dir, 'volumes', name))
    expect([kept, gone, other].map(volume)).toEqual([true, false, true])
    expect(await sweep()).toEqual([])
  } finally {
    agents.close()
    await database.close()
    await rm(dir, { recursive: true, force: true })
  }
})
