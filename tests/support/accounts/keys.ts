import * as group from '#functions/web/keys.ts'
import { keyHashes } from '#shared/accounts/keys/hashes.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { callerOf } from '../http/caller.ts'
import { platformOver } from '../http/platform-over.ts'
import { startAccounts } from './accounts.ts'

/** Starts the keys function's routes together with the accounts' routes, over a database of their own. */
export async function startKeys({
  adminEmails = [],
  sealer,
  cost = 4,
}: Pick<NonNullable<Parameters<typeof startAccounts>[0]>, 'adminEmails' | 'sealer'> & {
  /** The cost of a key's hash; default: a cheap one. */
  cost?: number
} = {}) {
  const accounts = await startAccounts({ ...(sealer && { sealer }) })

  /** Starts the function as another process would run it. */
  function startProcess(table: Table = accounts.table, capacity?: number) {
    return callerOf(
      group,
      { table, hashes: keyHashes({ capacity, cost }), adminEmails },
      adminEmails,
    )
  }

  const call = startProcess()
  return {
    ...accounts,
    accounts: accounts.call,
    startProcess,
    call,
    newKey: (session: string, name = 'laptop', terms = {}) =>
      platformOver(call, { session }).keys.create({ name, ...terms }),
    /** @returns status and body */
    async validate(apiKey: unknown, process = call): Promise<[number, unknown]> {
      const answer = await process('POST', '/api/keys/validate', { body: { apiKey } })
      return [answer.status, await answer.json()]
    },
  }
}

export type Keys = Awaited<ReturnType<typeof startKeys>>
