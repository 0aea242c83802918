import { afterAll, beforeAll } from 'vitest'
import { startOf } from '../support/http/carrier.ts'
import { internalKey } from '../support/http/internal-caller.ts'
import type { Worker } from '../support/http/workerd.ts'
import { testInfraTools } from '../support/operations/infra-tools.ts'
import { settingsOf, startTestTable, type TestTable } from '../support/platform/table.ts'

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

testInfraTools(() => ({ backend: worker.url, internalKey }))
