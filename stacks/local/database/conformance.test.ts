import { afterAll, beforeAll, describe } from 'vitest'
import { batches } from './conformance/batches.ts'
import { conditions } from './conformance/conditions.ts'
import { engines } from './conformance/engines.ts'
import { items } from './conformance/items.ts'
import { queries } from './conformance/queries.ts'
import { races } from './conformance/races.ts'
import { subjectAt } from './conformance/subject.ts'
import type { Subject } from './conformance/subject.ts'
import { tables } from './conformance/tables.ts'
import { transactions } from './conformance/transactions.ts'
import { updates } from './conformance/updates.ts'

const suites = [tables, items, conditions, updates, queries, batches, transactions, races]

describe.each(engines)('$name', ({ missing, start }) => {
  describe.skipIf(missing)(`${missing ?? 'available'}`, () => {
    let subject: Subject
    let close: () => Promise<void>
    beforeAll(async () => {
      const engine = await start()
      subject = subjectAt(engine.endpoint)
      close = async () => {
        subject.client.destroy()
        await engine.close()
      }
    })
    afterAll(() => close())

    for (const suite of suites) suite(() => subject)
  })
})
