import type { Table } from '../../platform/table/port.ts'
import { addressOf } from './curve.ts'
import { walletKeyRows } from './rows.ts'
import type { KeyPlace, KeySeals } from './port.ts'

/** What opens keys: the signer's alone. */
export interface KeyContext {
  table: Table
  keys: KeySeals
}

/**
 * Opens the key of a wallet for one use and overwrites it afterwards.
 * @param use must not keep the key
 * @throws Error where there is no such key, or it does not open
 */
export async function withKey<Result>(
  { table, keys }: KeyContext,
  place: KeyPlace,
  use: (key: Uint8Array) => Result,
): Promise<Result> {
  const row = await table.get(walletKeyRows.key({ agentId: place.agentId }))
  if (row === undefined) throw new Error(`there is no key of ${place.address}`)
  const key = await keys.open(walletKeyRows.parse(row).sealed, place)
  try {
    if (addressOf(key) !== place.address)
      throw new Error(`the key of ${place.address} is another’s`)
    return use(key)
  } finally {
    key.fill(0)
  }
}
