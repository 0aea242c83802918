import { afterAll, beforeAll } from 'vitest'
import { startOf } from '../support/carrier.ts'
import { promisesOfInfraTools } from '../support/infra-tools.ts'
import { internalKey } from '../support/internal-caller.ts'
import { settingsOf, startTestTable, type TestTable } from '../support/table.ts'
import type { Worker } from '../support/workerd.ts'

let database: TestTable
let worker: Worker

beforeAll(async () => {
  database = await startTestTable()
  worker = await startOf('backend-infra-tools', {
    ...settingsOf(database.table),
    INTERNAL_API_KEY: internalKey,
    RATE_LIMITS: 'off',
  })
})
afterAll(async () => {
  await worker.close()
  await database.close()
})

promisesOfInfraTools(() => ({ backend: worker.url, internalKey }))
