import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { subjectAt } from './conformance/subject.ts'
import type { Subject } from './conformance/subject.ts'
import { openEngine } from './engine.ts'
import { startDatabase } from './server.ts'

const CHILD = fileURLToPath(new URL('conformance/child.ts', import.meta.url))

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'database-'))
})
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.kill()))
  await rm(dir, { recursive: true })
})

/** The servers of the current test, killed after it even if it fails. */
const servers: Server[] = []

interface Server {
  subject: Subject
  /** The processor time of the start, which does not depend on the load of the machine. */
  startMs: number
  rss: number
  kill(): Promise<void>
}

async function spawnServer(): Promise<Server> {
  const child = spawn(process.execPath, [CHILD, dir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { endpoint, ...usage } = JSON.parse(String(line)) as {
    endpoint: string
    startMs: number
    rss: number
  }
  const subject = subjectAt(endpoint)
  const server: Server = {
    subject,
    ...usage,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
      subject.client.destroy()
    },
  }
  servers.push(server)
  return server
}

/** Returns all items of a table or index. */
async function everything({ doc }: Subject, TableName: string, IndexName?: string) {
  const items: Record<string, unknown>[] = []
  let ExclusiveStartKey: Record<string, unknown> | undefined
  do {
    const page = await doc.scan({ TableName, IndexName, ExclusiveStartKey })
    items.push(...(page.Items ?? []))
    ExclusiveStartKey = page.LastEvaluatedKey
  } while (ExclusiveStartKey)
  return items
}

/** Sends a transaction that puts two rows with index entries and counts itself. */
function pair({ doc }: Subject, TableName: string, id: string) {
  const row = (sk: string) => ({
    Put: { TableName, Item: { pk: id, sk, owner: `owner-${id.charAt(0)}`, at: 1 } },
  })
  return doc.transactWrite({
    ClientRequestToken: id,
    TransactItems: [
      row('left'),
      row('right'),
      {
        Update: {
          TableName,
          Key: { pk: 'counter', sk: 'pairs' },
          UpdateExpression: 'ADD n :one',
          ExpressionAttributeValues: { ':one': 1 },
        },
      },
    ],
  })
}

/** Sends a transaction of a hundred rows, long enough to be killed during it. */
function hundred({ doc }: Subject, TableName: string, pk: string) {
  const TransactItems = Array.from({ length: 100 }, (_, i) => ({
    Put: { TableName, Item: { pk, sk: String(i), owner: pk, at: i, text: 'x'.repeat(500) } },
  }))
  return doc.transactWrite({ TransactItems })
}

describe('a database killed during many writes', () => {
  test('keeps all acknowledged writes, no partial transaction, and consistent indexes', async () => {
    const acknowledged = new Set<string>()
    const sent = new Set<string>()
    let server = await spawnServer()
    const TableName = await server.subject.createTable()

    for (const limit of [150, 400, 700]) {
      const { subject, kill } = server
      const storm = Array.from({ length: 20 }, async (_, worker) => {
        for (;;) {
          const id = randomUUID()
          sent.add(id)
          try {
            if (worker % 2 === 0) await pair(subject, TableName, id)
            else await subject.doc.put({ TableName, Item: { pk: id, sk: 'single', n: 1 } })
          } catch {
            // Only the kill can make a write fail here. The remaining state is checked below.
            return
          }
          acknowledged.add(id)
          if (acknowledged.size === limit) await kill()
        }
      })
      await Promise.all(storm)

      server = await spawnServer()
      const items = await everything(server.subject, TableName)
      const found = Map.groupBy(items, (item) => item.pk as string)
      const lost = [...acknowledged].filter((id) => !found.has(id))
      expect(lost).toEqual([])
      const counter = found.get('counter')?.[0]?.n
      found.delete('counter')
      const pairs = [...found.values()].filter(([first]) => first?.sk !== 'single')
      expect(pairs.every((rows) => rows.length === 2)).toBe(true)
      expect(counter).toBe(pairs.length)
      expect([...found.keys()].every((id) => sent.has(id))).toBe(true)

      const entries = await everything(server.subject, TableName, 'byOwner')
      const names = (rows: Record<string, unknown>[]) =>
        rows.map((row) => `${String(row.pk)} ${String(row.sk)}`).toSorted()
      expect(names(entries)).toEqual(names(pairs.flat()))
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(700)
  })

  test('has all or none of the hundred rows of a transaction, at any time of a kill', async () => {
    let server = await spawnServer()
    const TableName = await server.subject.createTable()
    for (const afterMs of [0, 3, 6, 9, 12, 15]) {
      const { subject, kill } = server
      let killed: Promise<void> | undefined
      const storm = Array.from({ length: 4 }, async () => {
        for (;;) {
          try {
            await hundred(subject, TableName, randomUUID())
          } catch {
            return
          }
          // Kill the server during the next transaction, while it sends this response.
          killed ??= new Promise((resolve) => setTimeout(() => resolve(kill()), afterMs))
        }
      })
      await Promise.all(storm)
      await killed
      server = await spawnServer()
      const rows = await everything(server.subject, TableName)
      const entries = await everything(server.subject, TableName, 'byOwner')
      for (const found of [rows, entries]) {
        const sizes = Map.groupBy(found, (row) => row.pk as string).values()
        expect(new Set([...sizes].map((it) => it.length))).toEqual(new Set([100]))
      }
      expect(entries).toHaveLength(rows.length)
    }
  })

  test('accepts a retry of every unanswered transaction, with one effect', async () => {
    const server = await spawnServer()
    const TableName = await server.subject.createTable()
    const ids = Array.from({ length: 120 }, () => randomUUID())
    let answered = 0
    await Promise.all(
      ids.map(async (id) => {
        try {
          await pair(server.subject, TableName, id)
        } catch {
          return
        }
        if (++answered === 40) await server.kill()
      }),
    )
    expect(answered).toBeLessThan(ids.length)
    const again = await spawnServer()
    for (const id of ids) await pair(again.subject, TableName, id)
    const Key = { pk: 'counter', sk: 'pairs' }
    expect((await again.subject.doc.get({ TableName, Key })).Item?.n).toBe(ids.length)
  })
})

describe('a database on disk', () => {
  test('is the same after a restart', async () => {
    const first = await startDatabase({ dir })
    const before = subjectAt(first.endpoint)
    const TableName = await before.createTable()
    const Item = { pk: 'a', sk: 'b', owner: 'o', at: 1 }
    await before.doc.put({ TableName, Item })
    before.client.destroy()
    await first.close()

    const second = await startDatabase({ dir })
    const after = subjectAt(second.endpoint)
    expect(await everything(after, TableName)).toEqual([Item])
    expect(await everything(after, TableName, 'byOwner')).toEqual([Item])
    after.client.destroy()
    await second.close()
  })

  test('belongs to one process at a time', async () => {
    const database = await startDatabase({ dir })
    expect(() => openEngine({ dir })).toThrow('database is locked')
    await expect(startDatabase({ dir })).rejects.toThrow('database is locked')
    await database.close()
    openEngine({ dir }).close()
  })

  test('starts fast and small', async () => {
    const { startMs, rss } = await spawnServer()
    // Measured about 200 ms and 65 MB; the bounds leave room for a slower machine.
    expect(startMs).toBeLessThan(1500)
    expect(rss).toBeLessThan(110 * 1024 * 1024)
  })
})
