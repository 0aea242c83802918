import type { Context } from '#shared/platform/identity/context.ts'
import { addressOf } from './curve.ts'
import type { HasKeySeals, KeyPlace } from './port.ts'
import { walletKeyRows } from './rows.ts'

/**
 * Decrypts a wallet's key for one use and overwrites it afterwards.
 * @param use must not store the key
 * @throws Error if the key does not exist or cannot be decrypted
 */
export async function withKey<Result>(
  { table, keys }: Pick<Context, 'table'> & HasKeySeals,
  place: KeyPlace,
  use: (key: Uint8Array) => Result,
): Promise<Result> {
  const row = await table.get(walletKeyRows.key({ agentId: place.agentId }))
  if (row === undefined) throw new Error(`${place.address} has no key`)
  const key = await keys.open(walletKeyRows.parse(row).sealed, place)
  try {
    if (addressOf(key) !== place.address)
      throw new Error(`the key of ${place.address} belongs to another address`)
    return use(key)
  } finally {
    key.fill(0)
  }
}
