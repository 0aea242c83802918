import { randomUUID } from 'node:crypto'
import { DatabaseError } from './errors.ts'
import type { Inputs } from './requests.ts'
import type { Storage } from './storage.ts'
import type { Table, TableDescription } from './table.ts'

/** The region and account of local ARNs. No AWS account has this number. */
const ARN = 'arn:aws:dynamodb:us-east-1:000000000000:table/'

interface Row {
  id: number
  description: string
  ttl: string | null
}

/** The tables, cached in memory. The storage's lock keeps other processes from changing them. */
export class Catalog {
  readonly #storage: Storage
  readonly #now: () => number
  readonly #tables = new Map<string, Table>()

  /** @param now epoch milliseconds */
  constructor(storage: Storage, now: () => number) {
    this.#storage = storage
    this.#now = now
    for (const row of storage.rows<Row>('SELECT id, description, ttl FROM tables')) this.#keep(row)
  }

  /** @throws ResourceNotFoundException */
  get(name: string): Table {
    const table = this.#tables.get(name)
    if (!table) {
      throw new DatabaseError('ResourceNotFoundException', 'Requested resource not found')
    }
    return table
  }

  all(): Table[] {
    return [...this.#tables.values()]
  }

  /** Creates a table, which is usable immediately. @throws ResourceInUseException if the name exists */
  create(input: Inputs['CreateTable']): object {
    const name = input.TableName
    if (this.#tables.has(name)) {
      throw new DatabaseError('ResourceInUseException', `Table already exists: ${name}`)
    }
    const description: TableDescription = {
      ...input,
      TableStatus: 'ACTIVE',
      TableArn: ARN + name,
      TableId: randomUUID(),
      CreationDateTime: this.#now() / 1000,
    }
    const row = this.#storage.first<Row>(
      'INSERT INTO tables (name, description) VALUES (?, ?) RETURNING id, description, ttl',
      name,
      JSON.stringify(description),
    )
    return { TableDescription: this.#describe(this.#keep(row!)) }
  }

  describe(name: string): object {
    return { Table: this.#describe(this.get(name)) }
  }

  delete(name: string): object {
    const table = this.get(name)
    const answer = { TableDescription: { ...this.#describe(table), TableStatus: 'DELETING' } }
    this.#storage.run('DELETE FROM entries WHERE tbl = ?', table.id)
    this.#storage.run('DELETE FROM items WHERE tbl = ?', table.id)
    this.#storage.run('DELETE FROM tables WHERE id = ?', table.id)
    this.#tables.delete(name)
    return answer
  }

  list({ ExclusiveStartTableName: start, Limit = 100 }: Inputs['ListTables']): object {
    const names = [...this.#tables.keys()].toSorted().filter((name) => !start || name > start)
    const page = names.slice(0, Limit)
    if (names.length === page.length) return { TableNames: page }
    return { TableNames: page, LastEvaluatedTableName: page.at(-1) }
  }

  setTimeToLive(table: Table, attribute: string | undefined): void {
    this.#storage.run('UPDATE tables SET ttl = ? WHERE id = ?', attribute ?? null, table.id)
    table.timeToLive = attribute
  }

  #keep({ id, description, ttl }: Row): Table {
    const parsed = JSON.parse(description) as TableDescription
    const table = { id, description: parsed, timeToLive: ttl ?? undefined }
    this.#tables.set(parsed.TableName, table)
    return table
  }

  #describe({ id, description }: Table): object {
    const items = this.#storage.first<{ count: number; bytes: number }>(
      'SELECT count(*) count, coalesce(sum(size), 0) bytes FROM items WHERE tbl = ?',
      id,
    )
    return {
      ...description,
      ItemCount: items?.count,
      TableSizeBytes: items?.bytes,
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      ProvisionedThroughput: {
        ReadCapacityUnits: 0,
        WriteCapacityUnits: 0,
        NumberOfDecreasesToday: 0,
      },
      GlobalSecondaryIndexes: description.GlobalSecondaryIndexes?.map((index) => ({
        ...index,
        IndexStatus: 'ACTIVE',
        IndexArn: `${description.TableArn}/index/${index.IndexName}`,
      })),
    }
  }
}
